package lint

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// layers orders the root module's packages by the first element of their
// path. A package imports its own layer or a lower one, so that the policy
// can be tested without threads, the mechanism without the API, and neither
// grows a way back to what stands on it.
var layers = map[string]int{
	"internal": 0,
	"queue":    1,
	"pool":     2,
	".":        3,
	"tasksync": 4, "chans": 4, "steptest": 4, "debug": 4,
	"cmd": 5, "examples": 5,
}

// topLayer is that of nested modules, which nothing here imports.
const topLayer = 5

// layerOf returns the layer of the package in dir, and whether it has one.
func (t *tree) layerOf(dir string) (int, bool) {
	if t.isNested(dir) {
		return topLayer, true
	}
	top, _, _ := strings.Cut(dir, "/")
	layer, ok := layers[top]
	return layer, ok
}

// ownDir returns the folder of an imported package of this repository.
func ownDir(imported string) (string, bool) {
	if imported == modulePath {
		return ".", true
	}
	return strings.CutPrefix(imported, modulePath+"/")
}

// checkLayers leaves tests out: an external test may well look at its package
// through the API above it.
func checkLayers(t *tree) []finding {
	var found []finding
	for _, f := range t.goFiles(func(f *file) bool { return !f.isTest() }) {
		layer, ok := t.layerOf(f.dir())
		if !ok {
			found = append(found, f.at(f.syntax.Package, "%s has no layer; a new exported package is a decision: add it to layers", f.top()))
			continue
		}
		for _, spec := range f.syntax.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			dir, ok := ownDir(imported)
			if !ok {
				continue
			}
			if below, ok := t.layerOf(dir); ok && below > layer {
				found = append(found, f.at(spec.Pos(), "%s may not import %s, which stands above it", f.dir(), dir))
			}
		}
	}
	return found
}

// clockNames are the functions of package time that read or wait for the real
// clock. Durations and their arithmetic stay allowed.
var clockNames = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// checkPure keeps queue a data structure that a test can step: no goroutine,
// no lock, no clock of its own, and nothing from outside that could have one.
func checkPure(t *tree) []finding {
	var found []finding
	for _, f := range t.goFiles(func(f *file) bool { return f.top() == "queue" && !f.isTest() }) {
		for _, spec := range f.syntax.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(imported, "/")
			_, own := ownDir(imported)
			switch {
			case first == "sync":
				found = append(found, f.at(spec.Pos(), "queue has no lock: its caller serializes"))
			case strings.Contains(first, ".") && !own:
				found = append(found, f.at(spec.Pos(), "queue imports the standard library and internal packages only"))
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = append(found, f.at(n.Pos(), "queue starts no goroutine"))
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if ok && f.imports[x.Name] == "time" && slices.Contains(clockNames, n.Sel.Name) {
					found = append(found, f.at(n.Pos(), "queue has no clock: the time is handed to it"))
				}
			}
			return true
		})
	}
	return found
}
