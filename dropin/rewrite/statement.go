package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// statement returns the edits that make a go statement a call of the pool, or why it
// stays. The forms are tried from the shortest to the one that always fits.
func (s *source) statement(g *ast.GoStmt) ([]edit, string) {
	if why := s.locks.reason(g.Call); why != "" {
		return nil, why
	}
	if why := s.poolAt(g.Pos()); why != "" {
		return nil, why
	}
	if s.direct(g.Call) {
		return s.writeDirect(g), ""
	}
	if names := s.capture(g.Call); names != nil {
		return s.writeCapture(g, names), ""
	}
	b, why := s.bind(g.Call)
	switch {
	case why != "":
		return nil, why
	case b.nothing():
		return s.writeWrap(g), ""
	}
	return s.writeBind(g, b), ""
}

var funcType = types.NewSignatureType(nil, nil, nil, nil, nil, false)

// direct reports whether the function value of a call can be handed to the pool as it is. Its
// evaluation there is the one that the statement would have done.
func (s *source) direct(call *ast.CallExpr) bool {
	if len(call.Args) > 0 || !s.plain(call.Lparen+1, call.Rparen) {
		return false
	}
	tv := s.info.Types[call.Fun]
	return tv.Type != nil && !tv.IsBuiltin() && types.AssignableTo(tv.Type, funcType)
}

// plain reports whether the text between two positions has neither a line's end nor a comment in it, so that it
// can be moved or dropped without anybody missing it.
func (s *source) plain(from, to token.Pos) bool {
	text := s.text(from, to)
	return !strings.ContainsAny(text, "\n\r") && !strings.Contains(text, "/*")
}

func (s *source) writeDirect(g *ast.GoStmt) []edit {
	return []edit{
		s.keyword(g, s.pool+"("),
		{s.offset(g.Call.Lparen), s.offset(g.Call.Rparen) + 1, ")"},
	}
}

// keyword replaces the word go and the blanks behind it.
func (s *source) keyword(g *ast.GoStmt, text string) edit {
	e := s.cut(g.Go, g.Go+token.Pos(len("go")))
	e.text = text
	return e
}

// cut deletes what is between two positions, and the blanks that follow.
func (s *source) cut(from, to token.Pos) edit {
	e := edit{start: s.offset(from), end: s.offset(to)}
	for e.end < len(s.src) && (s.src[e.end] == ' ' || s.src[e.end] == '\t') {
		e.end++
	}
	return e
}

// capture returns the parameter names of a function literal whose body can use copies of the arguments
// in the place of its parameters, or nil: the types have to be identical, and
// the compiler wants every variable used.
func (s *source) capture(call *ast.CallExpr) []string {
	lit, ok := call.Fun.(*ast.FuncLit)
	if !ok || len(call.Args) == 0 || call.Ellipsis.IsValid() || lit.Type.Results.NumFields() > 0 ||
		lit.Type.Params.NumFields() != len(call.Args) ||
		!s.plain(lit.Type.Params.Opening, lit.Type.Params.Closing) || !s.plain(call.Lparen, call.Rparen) {
		return nil
	}
	poolNames := identifiers(s.pool)
	var names []string
	for _, field := range lit.Type.Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic || len(field.Names) == 0 {
			return nil
		}
		for _, name := range field.Names {
			param := s.info.Defs[name]
			arg := call.Args[len(names)]
			if param == nil || poolNames[name.Name] || !s.copies(arg, param.Type()) || !s.reads(lit.Body, param) {
				return nil
			}
			names = append(names, name.Name)
		}
	}
	return names
}

// copies reports whether a variable declared from e has type t, and whether e can be written
// elsewhere on its line.
func (s *source) copies(e ast.Expr, t types.Type) bool {
	tv := s.info.Types[e]
	if tv.Type == nil || tv.IsNil() || uintptrOfPointer(s.info, e) {
		return false
	}
	if tv.Value != nil && untypedConst(s.info, e) {
		return types.Identical(defaultType(s.info, e), t)
	}
	kind := untypedOf(s.info, e)
	literal := false
	ast.Inspect(e, func(n ast.Node) bool {
		_, ok := n.(*ast.FuncLit)
		literal = literal || ok
		return !literal
	})
	return !literal && kind != untypedShift && types.Identical(tv.Type, t) &&
		(kind != untypedBool || types.Identical(t, types.Typ[types.Bool]))
}

// reads reports whether a body uses a variable other than by assigning to it, which the compiler
// would call unused.
func (s *source) reads(body ast.Node, v types.Object) bool {
	written := map[*ast.Ident]bool{}
	read := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN {
				for _, x := range n.Lhs {
					if id, ok := ast.Unparen(x).(*ast.Ident); ok {
						written[id] = true
					}
				}
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok {
					written[id] = true
				}
			}
		case *ast.Ident:
			read = read || s.info.Uses[n] == v && !written[n]
		}
		return true
	})
	return read
}

func (s *source) writeCapture(g *ast.GoStmt, names []string) []edit {
	params := g.Call.Fun.(*ast.FuncLit).Type.Params
	args := strings.TrimSuffix(strings.TrimSpace(s.text(g.Call.Lparen+1, g.Call.Rparen)), ",")
	return []edit{
		s.keyword(g, "{ "+strings.Join(names, ", ")+" := "+args+"; "+s.pool+"("),
		{s.offset(params.Opening) + 1, s.offset(params.Closing), ""},
		{s.offset(g.Call.Lparen), s.offset(g.Call.Rparen) + 1, ") }"},
	}
}

// writeWrap puts a function around a call that evaluates nothing at the statement.
func (s *source) writeWrap(g *ast.GoStmt) []edit {
	end := s.offset(g.Call.End())
	return []edit{s.keyword(g, s.pool+"(func() { "), {end, end, " })"}}
}
