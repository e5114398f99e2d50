package rewrite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Packages rewrites the packages that match the patterns, in memory. It writes no file.
// It returns an error if the packages or the pool's package do not build, since a
// rewriting without types would guess.
func Packages(c Config, patterns ...string) (*Result, error) {
	host, err := loadHost(&c)
	if err != nil {
		return nil, err
	}
	units, err := load(&c, patterns)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	seen := map[string]bool{}
	for _, u := range units {
		r.Packages = append(r.Packages, u.pattern)
		locks := newLocks(u)
		for _, f := range u.files {
			name := u.name(f)
			if seen[name] {
				continue // the variant with tests had it
			}
			seen[name] = true
			s := &source{c: &c, u: u, info: u.info, file: f, host: host, locks: locks}
			if err := s.rewrite(r); err != nil {
				return nil, err
			}
		}
		for _, name := range u.ignored {
			if !seen[name] && strings.HasSuffix(name, ".go") && (c.Tests || !isTest(name)) {
				seen[name] = true
				excluded(&c, r, u.path, name)
			}
		}
	}
	r.sort()
	return r, nil
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// source is a file on its way.
type source struct {
	c     *Config
	u     *unit
	info  *types.Info
	file  *ast.File
	host  *host
	locks *locks
	src   []byte
	pool  string // the pool's function as this file writes it
}

// offset returns where pos is in the text; //line directives do not matter to it.
func (s *source) offset(pos token.Pos) int { return s.u.fset.File(pos).Offset(pos) }

func (s *source) text(from, to token.Pos) string { return string(s.src[s.offset(from):s.offset(to)]) }

// rewrite adds the file to r, if it has go statements.
func (s *source) rewrite(r *Result) error {
	f := &File{Name: s.u.name(s.file), Package: s.u.path}
	f.Test = isTest(f.Name)
	var stmts []*ast.GoStmt
	f.Sites, stmts = goStatements(s.u.fset, s.file)
	marks := keepMarks(s.u.fset, s.file)
	defer func() {
		for _, m := range marks {
			if !m.used {
				r.Stale = append(r.Stale, m.pos)
			}
		}
	}()
	if len(stmts) == 0 {
		return nil
	}
	src, err := os.ReadFile(f.Name)
	if err != nil {
		return err
	}
	s.src, f.Before, f.After = src, src, src
	r.Files = append(r.Files, f)

	imp, why := s.pickImport(stmts)
	var edits []edit
	for i, stmt := range stmts {
		site := &f.Sites[i]
		if site.Left = marks.keep(site.Pos); site.Left == "" {
			site.Left = why
		}
		if site.Left != "" {
			continue
		}
		var more []edit
		if more, site.Left = s.statement(stmt); site.Left == "" {
			edits = append(edits, more...)
		}
	}
	if len(edits) == 0 {
		return nil
	}
	f.After, err = s.finish(append(edits, imp.edits()...))
	return err
}

// wholeFile says why no statement of the file can be rewritten.
func (s *source) wholeFile() string {
	switch pool := s.c.Pool.Path; {
	case pool != "" && s.u.path == pool:
		return "this is the pool's own package, whose goroutines may be those that it runs on"
	case s.host.deps[s.u.path]:
		return pool + " imports this package, so it cannot be imported here"
	case ast.IsGenerated(s.file) && !s.c.Generated:
		return "the file is generated, so an edit would not last"
	}
	return ""
}

// goStatements finds the go statements of a file and the functions around them.
func goStatements(fset *token.FileSet, f *ast.File) ([]Site, []*ast.GoStmt) {
	var sites []Site
	var stmts []*ast.GoStmt
	for _, decl := range f.Decls {
		in := ""
		if fn, ok := decl.(*ast.FuncDecl); ok {
			in = fn.Name.Name
			if fn.Recv != nil && len(fn.Recv.List) == 1 {
				recv := types.ExprString(fn.Recv.List[0].Type)
				if strings.HasPrefix(recv, "*") {
					recv = "(" + recv + ")"
				}
				in = recv + "." + in
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				sites = append(sites, Site{Pos: fset.PositionFor(g.Pos(), false), In: in})
				stmts = append(stmts, g)
			}
			return true
		})
	}
	return sites, stmts
}

// excluded reports the go statements of a file that belongs to another build. Nothing is known
// of its types, so it is only read.
func excluded(c *Config, r *Result, path, name string) {
	src, err := os.ReadFile(name)
	if err != nil {
		return
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	sites, _ := goStatements(fset, f)
	if len(sites) == 0 {
		return
	}
	goos, goarch := c.env("GOOS", runtime.GOOS), c.env("GOARCH", runtime.GOARCH)
	for i := range sites {
		sites[i].Left = fmt.Sprintf("build constraints exclude %s for %s/%s; run again with the GOOS, GOARCH or tags that it needs", filepath.Base(name), goos, goarch)
	}
	r.Files = append(r.Files, &File{Name: name, Package: path, Test: isTest(name), Before: src, After: src, Sites: sites})
}

// env returns a variable of the go command's environment.
func (c *Config) env(name, otherwise string) string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok && v != "" {
			otherwise = v
		}
	}
	return otherwise
}
