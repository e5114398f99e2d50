package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// keepPrefix marks a go statement that its author wants to stay one.
const keepPrefix = "//lockstep:keep"

// mark is one such comment. It covers its own line and the one below.
type mark struct {
	pos    token.Position
	reason string
	used   bool
}

type marks []*mark

func keepMarks(fset *token.FileSet, f *ast.File) marks {
	var found marks
	for _, group := range f.Comments {
		for _, c := range group.List {
			if rest, ok := strings.CutPrefix(c.Text, keepPrefix); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
				found = append(found, &mark{pos: fset.PositionFor(c.Pos(), false), reason: strings.TrimSpace(rest)})
			}
		}
	}
	return found
}

// keep returns why the statement at pos is to stay, if a mark says so.
func (m marks) keep(pos token.Position) string {
	for _, k := range m {
		if k.pos.Line != pos.Line && k.pos.Line+1 != pos.Line {
			continue
		}
		k.used = true
		if k.reason == "" {
			return "marked with " + keepPrefix + ", without a reason"
		}
		return "marked: " + k.reason
	}
	return ""
}
