package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// unit is one package as the compiler sees it at one time. A package with tests inside it is two:
// without and with its test files.
type unit struct {
	path    string // import path; "p_test" for the test package outside of p
	pattern string // what the go command calls it, p for both
	fset    *token.FileSet
	files   []*ast.File
	pkg     *types.Package
	info    *types.Info
	ignored []string // files that the build constraints exclude
}

// name returns the file's name on disk.
func (u *unit) name(f *ast.File) string { return u.fset.File(f.FileStart).Name() }

func (c *Config) packages(mode packages.LoadMode, overlay map[string][]byte) *packages.Config {
	cfg := &packages.Config{Mode: mode, Dir: c.Dir, Env: c.Env, Tests: c.Tests, Overlay: overlay}
	if len(c.Tags) > 0 {
		cfg.BuildFlags = []string{"-tags=" + strings.Join(c.Tags, ",")}
	}
	return cfg
}

const loadSyntax = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule |
	packages.NeedForTest

// load parses and type-checks packages. It does not go on after an error: without types a
// rewriting would guess.
func load(c *Config, patterns []string) ([]*unit, error) {
	loaded, err := packages.Load(c.packages(loadSyntax, nil), patterns...)
	if err != nil {
		return nil, err
	}
	if len(loaded) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	if err := firstErrors("the packages do not build as they are", loaded); err != nil {
		return nil, err
	}
	var units []*unit
	for _, p := range loaded {
		if strings.HasSuffix(p.ID, ".test") {
			continue // the main package that the go command generates
		}
		u := &unit{path: p.PkgPath, pattern: cmp.Or(p.ForTest, p.PkgPath), fset: p.Fset, files: p.Syntax, pkg: p.Types, info: p.TypesInfo, ignored: p.IgnoredFiles}
		if !slices.Equal(p.GoFiles, p.CompiledGoFiles) {
			if err := u.recheck(p); err != nil {
				return nil, err
			}
		}
		units = append(units, u)
	}
	// The units with tests first: they know all names of the package.
	slices.SortStableFunc(units, func(a, b *unit) int { return len(b.files) - len(a.files) })
	return units, nil
}

// firstErrors joins what is wrong with packages, without repeating what a variant with tests shares.
func firstErrors(what string, loaded []*packages.Package) error {
	const most = 10
	var lines []string
	for _, p := range loaded {
		for _, e := range p.Errors {
			line := e.Msg
			if e.Pos != "" && e.Pos != "-" {
				line = e.Pos + ": " + e.Msg
			}
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %d more", len(lines)-most))
	}
	return fmt.Errorf("%s:\n\t%s", what, strings.Join(lines, "\n\t"))
}

// recheck replaces what cgo made of a package by the files that its author wrote, since
// those are to be edited. The names of C have no types then, and statements that need them are left alone.
func (u *unit) recheck(p *packages.Package) error {
	u.fset, u.files = token.NewFileSet(), nil
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(u.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		u.files = append(u.files, f)
	}
	u.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: imported{p.Types}, FakeImportC: true, Sizes: p.TypesSizes, Error: func(error) {}}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	// Errors are those that C's missing types cause: the package itself was checked before.
	u.pkg, _ = conf.Check(p.PkgPath, u.fset, u.files, u.info)
	return nil
}

// imported finds packages among those that a package has imported already.
type imported struct{ by *types.Package }

func (i imported) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	for _, p := range i.by.Imports() {
		if p.Path() == path {
			return p, nil
		}
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}

// host is the package of the pool.
type host struct {
	name string          // of the package, which need not be the last element of its path
	deps map[string]bool // the packages that it imports, itself included: they cannot import it
}

func loadHost(c *Config) (*host, error) {
	h := &host{deps: map[string]bool{}}
	if c.Pool.Path == "" {
		return h, nil
	}
	cfg := c.packages(packages.NeedName|packages.NeedImports|packages.NeedDeps, nil)
	cfg.Tests = false
	loaded, err := packages.Load(cfg, c.Pool.Path)
	if err != nil {
		return nil, err
	}
	if len(loaded) != 1 || loaded[0].Name == "" || len(loaded[0].Errors) > 0 {
		hint := ""
		if len(loaded) == 1 && len(loaded[0].Errors) > 0 {
			hint = ": " + loaded[0].Errors[0].Msg
		}
		return nil, fmt.Errorf("the package %s of the pool cannot be loaded%s", c.Pool.Path, hint)
	}
	h.name = loaded[0].Name
	packages.Visit(loaded, nil, func(p *packages.Package) { h.deps[p.PkgPath] = true })
	return h, nil
}
