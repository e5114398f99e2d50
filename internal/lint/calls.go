package lint

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// checkSleep finds tests that wait for time to pass instead of for the thing
// they want to see. Inside a synctest bubble sleeping is exact and free, so a
// call in the function handed to synctest.Test is fine. A helper that only
// runs inside a bubble needs a mark, since that cannot be seen from here.
func checkSleep(t *tree) []finding {
	var found []finding
	for _, f := range t.goFiles((*file).isTest) {
		ast.PreorderStack(f.syntax, nil, func(n ast.Node, stack []ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if pkg, name := f.callee(call); pkg == "time" && name == "Sleep" && !f.inBubble(stack) {
				found = append(found, f.at(n.Pos(), "time.Sleep in a test: wait for the event, use a virtual clock, or run inside synctest.Test"))
			}
			return true
		})
	}
	return found
}

// inBubble reports whether one of the enclosing nodes is a call of
// synctest.Test.
func (f *file) inBubble(stack []ast.Node) bool {
	for _, n := range stack {
		if call, ok := n.(*ast.CallExpr); ok {
			if pkg, name := f.callee(call); pkg == "testing/synctest" && name == "Test" {
				return true
			}
		}
	}
	return false
}

// checkAtomic keeps the root module on one set of atomic types. Two in one
// package make a reader check every field's methods twice.
func checkAtomic(t *tree) []finding {
	var found []finding
	for _, f := range t.goFiles(func(f *file) bool { return !f.nested }) {
		for _, spec := range f.syntax.Imports {
			if spec.Path.Value == `"sync/atomic"` {
				found = append(found, f.at(spec.Pos(), "import go.uber.org/atomic instead, or say on this line what it lacks"))
			}
		}
	}
	return found
}

// checkPrint keeps a library from writing to its user's terminal.
func checkPrint(t *tree) []finding {
	var found []finding
	for _, f := range t.goFiles((*file).isLibrary) {
		f.calls(func(call *ast.CallExpr) {
			pkg, name := f.callee(call)
			id, builtin := call.Fun.(*ast.Ident)
			switch {
			case pkg == "fmt" && strings.HasPrefix(name, "Print"),
				builtin && (id.Name == "print" || id.Name == "println"):
				found = append(found, f.at(call.Pos(), "a library does not print; return it, log it through WithLogger, or write to an io.Writer"))
			}
		})
	}
	return found
}

// panicPrefix opens every panic of the library, so that one search over a
// program's output finds them all.
const panicPrefix = "lockstep: "

// checkPanics asks it of every panic whose text begins with a literal. One
// that passes on a value, such as a task's own panic, is left alone.
func checkPanics(t *tree) []finding {
	var found []finding
	for _, f := range t.goFiles((*file).isLibrary) {
		f.calls(func(call *ast.CallExpr) {
			if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "panic" || len(call.Args) != 1 {
				return
			}
			if text, ok := f.opening(call.Args[0]); ok && !strings.HasPrefix(text, panicPrefix) {
				found = append(found, f.at(call.Pos(), "the text of a panic begins with %q", panicPrefix))
			}
		})
	}
	return found
}

// opening returns the literal that expr begins with, through concatenation and
// the formatting functions.
func (f *file) opening(expr ast.Expr) (string, bool) {
	switch x := expr.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, err := strconv.Unquote(x.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		return f.opening(x.X)
	case *ast.ParenExpr:
		return f.opening(x.X)
	case *ast.CallExpr:
		if pkg, _ := f.callee(x); (pkg == "fmt" || pkg == "errors") && len(x.Args) > 0 {
			return f.opening(x.Args[0])
		}
	}
	return "", false
}

// calls visits every call of f.
func (f *file) calls(visit func(*ast.CallExpr)) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			visit(call)
		}
		return true
	})
}
