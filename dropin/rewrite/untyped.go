package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// An expression that is not constant may still be untyped until it meets its parameter: a comparison,
// and a shift of an untyped constant. A variable declared from it would get bool or int instead.
type untyped int

const (
	typed untyped = iota
	untypedBool
	untypedShift
)

// untypedOf classifies an operand that is not constant. The checker records only what
// type an expression got in the end, so this follows the syntax.
func untypedOf(info *types.Info, e ast.Expr) untyped {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return untypedOf(info, e.X)
	case *ast.UnaryExpr:
		if e.Op != token.AND && e.Op != token.ARROW {
			return untypedOf(info, e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return untypedBool
		case token.SHL, token.SHR:
			if untypedConst(info, e.X) {
				return untypedShift
			}
			return untypedOf(info, e.X)
		}
		for _, x := range []ast.Expr{e.X, e.Y} {
			if !untypedConst(info, x) && untypedOf(info, x) == typed {
				return typed
			}
		}
		if e.Op == token.LAND || e.Op == token.LOR {
			return untypedBool
		}
		return untypedShift
	}
	return typed
}

// untypedConst reports whether e is a constant without a type of its own. In doubt it says yes: the
// price is a conversion to the type that e has anyway.
func untypedConst(info *types.Info, e ast.Expr) bool {
	if info.Types[e].Value == nil {
		return false
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return untypedConst(info, e.X)
	case *ast.UnaryExpr:
		return untypedConst(info, e.X)
	case *ast.Ident:
		return untypedObject(info.Uses[e])
	case *ast.SelectorExpr:
		return untypedObject(info.Uses[e.Sel])
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		case token.SHL, token.SHR:
			return untypedConst(info, e.X)
		}
		return untypedConst(info, e.X) && untypedConst(info, e.Y)
	case *ast.CallExpr:
		return !info.Types[e.Fun].IsType() // a conversion has a type, real, min and the like may not
	}
	return true
}

func untypedObject(obj types.Object) bool {
	if obj == nil {
		return true
	}
	b, ok := obj.Type().(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// defaultType returns the type that a variable declared from an untyped constant gets, or an invalid type
// if the constant is not a literal or a name.
func defaultType(info *types.Info, e ast.Expr) types.Type {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		kinds := map[token.Token]types.BasicKind{
			token.INT: types.Int, token.FLOAT: types.Float64, token.IMAG: types.Complex128,
			token.CHAR: types.Int32, token.STRING: types.String,
		}
		return types.Typ[kinds[e.Kind]]
	case *ast.Ident:
		if obj := info.Uses[e]; obj != nil {
			return types.Default(obj.Type())
		}
	case *ast.SelectorExpr:
		if obj := info.Uses[e.Sel]; obj != nil {
			return types.Default(obj.Type())
		}
	}
	return types.Typ[types.Invalid]
}

// conversion returns what has to be written around e so that a variable declared from it has
// the type that e has in the statement: nothing, or a type. It fails if
// that type has no name at pos.
func (s *source) conversion(e ast.Expr) (string, bool) {
	t := s.info.Types[e].Type
	if t == nil || untypedOf(s.info, e) != untypedShift {
		return "", true
	}
	if types.IsInterface(t) { // the value inside has the default type in both forms
		if _, ok := t.(*types.TypeParam); !ok {
			return "", true
		}
	}
	scope := s.u.pkg.Scope().Innermost(e.Pos())
	if scope == nil {
		return "", false
	}
	var obj types.Object
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		obj = types.Universe.Lookup(t.Name())
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			obj = t.Obj()
		}
	case *types.TypeParam:
		obj = t.Obj()
	}
	if obj == nil {
		return "", false
	}
	if _, found := scope.LookupParent(obj.Name(), e.Pos()); found == obj {
		return obj.Name(), true
	}
	for _, spec := range s.file.Imports {
		name, ok := s.importedAs(spec, e.Pos())
		if ok && obj.Pkg() != nil && importPath(spec) == obj.Pkg().Path() && obj.Exported() {
			return name + "." + obj.Name(), true
		}
	}
	return "", false
}
