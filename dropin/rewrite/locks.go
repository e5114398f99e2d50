package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
)

// locks finds code that calls runtime.LockOSThread. A task must not yield or end with its thread
// locked, because coroutines of a locked thread have to find the lock count that they were made with: the
// runtime throws otherwise, and recover does not help. Such code wants a thread of its own,
// which a go statement gives it.
type locks struct {
	u     *unit
	decls map[types.Object]*ast.FuncDecl
	lits  map[types.Object][]*ast.FuncLit // what a variable is known to hold
	seen  map[ast.Node]bool               // bodies that the current question has met
}

func newLocks(u *unit) *locks {
	l := &locks{u: u, decls: map[types.Object]*ast.FuncDecl{}, lits: map[types.Object][]*ast.FuncLit{}}
	for _, f := range u.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				l.decls[u.info.Defs[n.Name]] = n
			case *ast.AssignStmt:
				for i, x := range n.Rhs {
					if len(n.Lhs) == len(n.Rhs) {
						l.assigned(n.Lhs[i], x)
					}
				}
			case *ast.ValueSpec:
				for i, x := range n.Values {
					if len(n.Names) == len(n.Values) {
						l.assigned(n.Names[i], x)
					}
				}
			}
			return true
		})
	}
	return l
}

// assigned notes a function literal that a variable gets.
func (l *locks) assigned(to, x ast.Expr) {
	id, ok := to.(*ast.Ident)
	lit, isLit := ast.Unparen(x).(*ast.FuncLit)
	if !ok || !isLit {
		return
	}
	obj := l.u.info.Defs[id]
	if obj == nil {
		obj = l.u.info.Uses[id]
	}
	if obj != nil {
		l.lits[obj] = append(l.lits[obj], lit)
	}
}

// reason says why the call of a go statement has to stay, if it locks a thread.
func (l *locks) reason(call *ast.CallExpr) string {
	l.seen = map[ast.Node]bool{}
	at := l.called(call.Fun)
	for _, arg := range call.Args { // func literals among them may be called
		if at == nil {
			at = l.in(arg)
		}
	}
	if at == nil {
		return ""
	}
	pos := l.u.fset.PositionFor(at.Pos(), false)
	return fmt.Sprintf("its function calls runtime.LockOSThread (%s:%d); a task that yields or ends with its thread locked kills the process",
		filepath.Base(pos.Filename), pos.Line)
}

// called returns the LockOSThread call that calling fun leads to, or nil.
func (l *locks) called(fun ast.Expr) ast.Node {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return l.in(fun.Body)
	case *ast.Ident:
		return l.object(l.u.info.Uses[fun])
	case *ast.SelectorExpr:
		return l.object(l.u.info.Uses[fun.Sel])
	case *ast.IndexExpr:
		return l.called(fun.X)
	case *ast.IndexListExpr:
		return l.called(fun.X)
	case *ast.CallExpr: // go f()(): the function that runs is often a literal of f
		return l.called(fun.Fun)
	}
	return nil
}

func (l *locks) object(obj types.Object) ast.Node {
	if fn, ok := obj.(*types.Func); ok {
		obj = fn.Origin()
	}
	if decl := l.decls[obj]; decl != nil && obj != nil && decl.Body != nil {
		return l.in(decl.Body)
	}
	for _, lit := range l.lits[obj] {
		if at := l.in(lit.Body); at != nil {
			return at
		}
	}
	return nil
}

// in looks through a piece of code and the functions of the package that it calls, but not into what it
// starts with go: that runs elsewhere.
func (l *locks) in(root ast.Node) ast.Node {
	if l.seen[root] {
		return nil // a recursive call adds nothing
	}
	l.seen[root] = true
	var found ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if found != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && locksThread(l.u.info.Uses[sel.Sel]) {
				found = n
			} else if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && locksThread(l.u.info.Uses[id]) {
				found = n // a dot import
			} else if _, lit := ast.Unparen(n.Fun).(*ast.FuncLit); !lit {
				found = l.called(n.Fun)
			}
		}
		return true
	})
	return found
}

func locksThread(obj types.Object) bool {
	fn, ok := obj.(*types.Func)
	return ok && fn.FullName() == "runtime.LockOSThread"
}
