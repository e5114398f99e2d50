package rewrite

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"
)

// writeBind writes { a, b := x, y; pool(func() { f(a, b) }) } around the operands as they stand.
func (s *source) writeBind(g *ast.GoStmt, b *binding) []edit {
	call := g.Call
	var names, inside []string
	var edits []edit
	operands := append([]operand{b.fun}, b.args...)
	last := 0
	for i, o := range operands {
		if o.name != "" {
			names = append(names, o.name)
			last = i
		}
	}
	fun := b.fun.name
	if fun == "" {
		fun = s.text(call.Fun.Pos(), call.Fun.End())
	}
	if b.multi != nil {
		names = append(names, b.multi...)
		inside = b.multi
		if b.fun.name != "" { // no list can hold both a function and several results
			names = []string{b.fun.name}
		}
	}
	edits = append(edits, s.keyword(g, "{ "+strings.Join(names, ", ")+" := "))
	for i, o := range operands {
		from, to := o.expr.Pos(), o.expr.End()
		text := s.text(from, to)
		start, end := s.offset(from), s.offset(to)
		switch {
		case o.name == "":
			edits = append(edits, s.cut(from, to))
		default:
			after := ","
			if i == last {
				after = ";"
			}
			if b.multi != nil {
				after = "; " + strings.Join(b.multi, ", ") + " := "
			}
			if o.conv != "" {
				edits = append(edits, edit{start, start, o.conv + "("})
				after = ")" + after
			}
			edits = append(edits, edit{end, end, after})
			text = o.name
			if o.bool {
				text += " == true" // untyped again
			}
		}
		if i > 0 {
			inside = append(inside, text)
		}
	}
	if b.multi != nil {
		end := s.offset(call.Args[0].End())
		edits = append(edits, edit{end, end, ";"})
	}
	args := strings.Join(inside, ", ")
	if call.Ellipsis.IsValid() {
		args += "..."
	}
	edits = append(edits, s.separators(call)...)
	closing := s.offset(call.Rparen)
	return append(edits, edit{closing, closing + 1, " " + s.pool + "(func() { " + fun + "(" + args + ") }) }"})
}

// separators deletes the opening parenthesis, the commas and the dots of a call, but
// not what stands between them.
func (s *source) separators(call *ast.CallExpr) []edit {
	edits := []edit{s.cut(call.Lparen, call.Lparen+1)}
	at := call.Lparen + 1
	for i := range len(call.Args) + 1 {
		to := call.Rparen
		if i < len(call.Args) {
			to = call.Args[i].Pos()
		}
		from := s.offset(at)
		gap := s.src[from:s.offset(to)]
		file := token.NewFileSet().AddFile("", -1, len(gap))
		var sc scanner.Scanner
		sc.Init(file, gap, nil, 0)
		for {
			pos, tok, _ := sc.Scan()
			if tok == token.EOF {
				break
			}
			if width := map[token.Token]int{token.COMMA: 1, token.ELLIPSIS: 3}[tok]; width > 0 {
				start := from + file.Offset(pos)
				edits = append(edits, edit{start, start + width, ""})
			}
		}
		if i < len(call.Args) {
			at = call.Args[i].End()
		}
	}
	return edits
}
