package rewrite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"strconv"
	"strings"
)

// Pool is the function that takes the place of the go keyword. It is called with a func().
type Pool struct {
	// Path is the import path of the package that Expr is looked up in. If it is empty, Expr has
	// to mean something where the go statement stands.
	Path string
	// Expr is a Go expression, with Path relative to that package: "Go", "Requests.Go". It is
	// evaluated after the statement's own operands, so it should have no effects.
	Expr string
}

// DefaultPool is lockstep.Go: the calling task's queue, or, outside a task, that of the default pool.
var DefaultPool = Pool{Path: "github.com/lockstep-go/lockstep", Expr: "Go"}

// ParsePool reads what a user writes on a command line: an import path, a dot and an
// expression ("example.com/app/work.Requests.Go"), or the expression alone
// ("s.pool.Go"). A path whose last element has a dot needs quotes ("\"gopkg.in/x.v1\".Go").
func ParsePool(text string) (Pool, error) {
	p := Pool{Expr: text}
	switch slash := strings.LastIndexByte(text, '/'); {
	case strings.HasPrefix(text, `"`):
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return Pool{}, fmt.Errorf("pool %s: the quoted import path does not end", text)
		}
		p.Path, _ = strconv.Unquote(quoted)
		p.Expr = strings.TrimPrefix(text[len(quoted):], ".")
	case slash >= 0:
		name, expr, ok := strings.Cut(text[slash+1:], ".")
		if !ok {
			return Pool{}, fmt.Errorf("pool %s: a function is missing behind the import path, as in %s.Go", text, text)
		}
		p.Path, p.Expr = text[:slash+1]+name, expr
	}
	expr, err := parser.ParseExpr(p.Expr)
	if err != nil {
		return Pool{}, fmt.Errorf("pool %s: %q is not a Go expression", text, p.Expr)
	}
	switch expr.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.ParenExpr, *ast.CallExpr:
		return p, nil
	}
	return Pool{}, fmt.Errorf("pool %s: %q cannot be called without parentheses around it", text, p.Expr)
}

// String returns what ParsePool reads.
func (p Pool) String() string {
	if p.Path == "" {
		return p.Expr
	}
	return p.Path + "." + p.Expr
}

// call returns the expression as it is written in a file that knows the package as name, which is
// empty inside the package itself.
func (p Pool) call(name string) string {
	if name == "" {
		return p.Expr
	}
	return name + "." + p.Expr
}
