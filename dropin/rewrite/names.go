package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// pick returns a name that is not taken, and takes it: the wanted one if it can be had, else
// the one for want of a better, with a number if need be.
func pick(taken map[string]bool, want, otherwise string) string {
	if want == "" || want == "_" || token.IsKeyword(want) {
		want = otherwise
	}
	name := want
	for i := 2; taken[name]; i++ {
		name = want + strconv.Itoa(i)
	}
	taken[name] = true
	return name
}

// funName suggests a name for a function value: that of the variable, field or method that it is.
func funName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return lower(e.Sel.Name)
	}
	return ""
}

func lower(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	if next, _ := utf8.DecodeRuneInString(name[n:]); unicode.IsUpper(next) {
		return "" // an initialism such as URL; no rule makes a good name of it
	}
	return string(unicode.ToLower(r)) + name[n:]
}

// paramName returns the name of the parameter that the argument i goes to, if it has one.
func paramName(sig *types.Signature, i int) string {
	if sig == nil || sig.Params().Len() == 0 {
		return ""
	}
	if last := sig.Params().Len() - 1; i > last || i == last && sig.Variadic() {
		return ""
	}
	return sig.Params().At(i).Name()
}

// freeNames returns the identifiers of an expression that a new variable could hide: all but
// those behind a dot.
func freeNames(e ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			for name := range freeNames(n.X) {
				names[name] = true
			}
			return false
		case *ast.Ident:
			names[n.Name] = true
		}
		return true
	})
	return names
}

// identifiers is freeNames of a text.
func identifiers(expr string) map[string]bool {
	e, err := parser.ParseExpr(expr)
	if err != nil {
		return map[string]bool{}
	}
	return freeNames(e)
}
