package lint

import (
	"cmp"
	"slices"
)

// A rule looks at the whole tree, because some rules compare files.
type rule struct {
	name  string
	check func(*tree) []finding
}

// rules lists every rule that works on text and syntax. What a user's binary
// links is checked apart, since only the go command knows.
var rules = []rule{
	{"docs", checkDocs},
	{"pkgdoc", checkPackageDocs},
	{"length", checkLength},
	{"unfinished", checkUnfinished},
	{"paths", checkPaths},
	{"sleep", checkSleep},
	{"stdatomic", checkAtomic},
	{"print", checkPrint},
	{"layers", checkLayers},
	{"pure", checkPure},
	{"panics", checkPanics},
}

// run applies every rule to t, takes away what marks excuse, and adds what is
// wrong with the marks themselves.
func run(t *tree) []finding {
	marks := make(map[string][]*mark)
	for _, f := range t.files {
		marks[f.path] = f.marks
	}
	var found []finding
	for _, r := range rules {
		for _, v := range r.check(t) {
			v.rule = r.name
			if !excused(marks[v.path], v) {
				found = append(found, v)
			}
		}
	}
	for _, f := range t.files {
		found = append(found, f.badMarks()...)
	}
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line), cmp.Compare(a.rule, b.rule))
	})
	return found
}
