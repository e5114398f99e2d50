package rewrite

import (
	"go/ast"
	"go/types"
)

// binding says which operands of a call are evaluated at the statement, and under which names
// the new function knows them.
type binding struct {
	fun   operand
	args  []operand
	multi []string // names of the results of the one argument g() in f(g())
}

// operand is the function value of a call or an argument.
type operand struct {
	expr ast.Expr
	name string // the variable; empty if the expression itself is written in the new function
	conv string // a type to convert to, see conversion
	bool bool   // an untyped bool
}

func (b *binding) nothing() bool {
	bound := b.fun.name != "" || b.multi != nil
	for _, a := range b.args {
		bound = bound || a.name != ""
	}
	return !bound
}

// bind decides for each operand of a call, or says why the call has to stay.
func (s *source) bind(call *ast.CallExpr) (*binding, string) {
	b := &binding{fun: operand{expr: call.Fun}}
	taken := identifiers(s.pool)
	bindFun := !s.fixed(call.Fun)
	if _, lit := call.Fun.(*ast.FuncLit); lit {
		bindFun = false
		for _, arg := range call.Args {
			bindFun = bindFun || !s.fixed(arg)
		}
	}
	var results *types.Tuple
	if len(call.Args) == 1 {
		results, _ = s.info.Types[call.Args[0]].Type.(*types.Tuple)
	}
	// The names that the new function uses from outside come first: no variable may hide them.
	for _, e := range append([]ast.Expr{call.Fun}, call.Args...) {
		if e != call.Fun && !s.fixed(e) || e == call.Fun && bindFun {
			continue
		}
		for name := range freeNames(e) {
			taken[name] = true
		}
	}
	if bindFun {
		b.fun.name = pick(taken, funName(call.Fun), "fn")
	}
	sig, _ := s.info.Types[call.Fun].Type.(*types.Signature)
	if results != nil {
		for i := range results.Len() {
			b.multi = append(b.multi, pick(taken, paramName(sig, i), "arg"))
		}
		return b, ""
	}
	for i, e := range call.Args {
		a := operand{expr: e}
		if !s.fixed(e) {
			if why := s.unbindable(e); why != "" {
				return nil, why
			}
			conv, ok := s.conversion(e)
			if !ok {
				return nil, "an argument is an untyped shift whose type has no name here"
			}
			a.conv = conv
			a.bool = untypedOf(s.info, e) == untypedBool && !types.Identical(s.info.Types[e].Type, types.Typ[types.Bool])
			a.name = paramName(sig, i)
			if id, ok := e.(*ast.Ident); ok {
				a.name = id.Name
			}
			a.name = pick(taken, a.name, "arg")
		}
		b.args = append(b.args, a)
	}
	return b, ""
}

// fixed reports whether an operand means the same at any time, so that it needs no variable: a
// constant, nil, or a function that is declared rather than computed.
func (s *source) fixed(e ast.Expr) bool {
	tv := s.info.Types[e]
	return tv.Value != nil || tv.IsNil() || tv.IsBuiltin() || s.declared(e)
}

// declared reports whether e names a function, with or without type arguments. As a variable a
// generic function would need type arguments that the call may infer.
func (s *source) declared(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := s.info.Uses[e].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		if sel := s.info.Selections[e]; sel != nil {
			return sel.Kind() == types.MethodExpr
		}
		if s.ofC(e) {
			return true
		}
		_, ok := s.info.Uses[e.Sel].(*types.Func)
		return ok
	case *ast.IndexExpr:
		return s.declared(e.X)
	case *ast.IndexListExpr:
		return s.declared(e.X)
	}
	return false
}

// unbindable says why an argument must not become a variable.
func (s *source) unbindable(e ast.Expr) string {
	if uintptrOfPointer(s.info, e) {
		return "an argument converts an unsafe.Pointer to uintptr, which keeps the pointer alive only within the call"
	}
	if tv := s.info.Types[e]; tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); !ok || !s.ofC(call.Fun) {
			return "the type of an argument is C's and not known here"
		}
	}
	return ""
}

// ofC reports whether e is a name of cgo's package C.
func (s *source) ofC(e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	pkg, ok := s.info.Uses[id].(*types.PkgName)
	return ok && pkg.Imported().Path() == "C"
}

func uintptrOfPointer(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !info.Types[call.Fun].IsType() {
		return false
	}
	to, ok := info.Types[call.Fun].Type.Underlying().(*types.Basic)
	from, isBasic := info.Types[call.Args[0]].Type.Underlying().(*types.Basic)
	return ok && isBasic && to.Kind() == types.Uintptr && from.Kind() == types.UnsafePointer
}
