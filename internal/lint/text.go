package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
)

// maxLines is where a file holds more than one concept, whatever its author
// thinks. Most should stay below half of it.
const maxLines = 500

// codeExts are the kinds of file that maxLines is for. Prose may be longer,
// since splitting it helps no reader.
var codeExts = []string{".go", ".s", ".rs", ".sh", ""}

func checkLength(t *tree) []finding {
	var found []finding
	for _, f := range t.files {
		if len(f.lines) > maxLines && slices.Contains(codeExts, path.Ext(f.path)) {
			found = append(found, finding{
				path: f.path, line: maxLines + 1,
				text: fmt.Sprintf("%d lines; split it by concept, %d is the limit", len(f.lines), maxLines),
			})
		}
	}
	return found
}

// The character classes keep the expressions from matching themselves.
var (
	unfinishedMark = regexp.MustCompile(`\b(?:T[O]DO|F[I]XME|X[X]X)\b`)
	machinePath    = regexp.MustCompile(`/(?:wor[k]|roo[t]|far[m]|hom[e]|User[s])/`)
)

// checkUnfinished finds marks of work left undone. What is worth doing is an
// issue, what is not is noise.
func checkUnfinished(t *tree) []finding {
	return t.grep(unfinishedMark, "unfinished: do it, file an issue, or say what the limit is")
}

// checkPaths finds folders of one person's machine, which mean nothing on
// another and break what relies on them.
func checkPaths(t *tree) []finding {
	return t.grep(machinePath, "a path of one machine; use a relative one or ask the system")
}

func (t *tree) grep(re *regexp.Regexp, text string) []finding {
	var found []finding
	for _, f := range t.files {
		for i, line := range f.lines {
			if hit := re.FindString(line); hit != "" {
				found = append(found, finding{path: f.path, line: i + 1, text: hit + " is " + text})
			}
		}
	}
	return found
}
