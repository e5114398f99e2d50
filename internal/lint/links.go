package lint

import (
	"slices"
	"strings"
)

// linked lists the packages from outside that a program gets into its binary
// by importing lockstep. A longer list is a decision for an ADR: each entry is
// code that our users did not ask for and have to trust.
var linked = []string{
	"github.com/panjf2000/ants/v2",
	"github.com/panjf2000/ants/v2/pkg/sync",
	"go.uber.org/atomic",
	"golang.org/x/sync/errgroup",
}

// outsiders returns the import paths, one a line in list, that belong to
// other projects.
func outsiders(list string) []string {
	var paths []string
	for p := range strings.FieldsSeq(list) {
		if _, own := ownDir(p); !own {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// userPackages returns the import paths of the root module's packages that a
// user can import.
func (t *tree) userPackages() []string {
	var paths []string
	for _, f := range t.goFiles(func(f *file) bool { return f.isLibrary() && !f.isInternal() && !f.nested }) {
		p := modulePath
		if f.dir() != "." {
			p += "/" + f.dir()
		}
		if f.top() != "examples" && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}
