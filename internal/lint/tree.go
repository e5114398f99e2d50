package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// modulePath is the root module's import path.
const modulePath = "github.com/lockstep-go/lockstep"

// A tree is the repository as the rules see it.
type tree struct {
	files   []*file
	modules []string // folders of nested modules
}

// A file is one text file. The fields below syntax are set for Go files only.
type file struct {
	path  string // slash-separated, relative to the root
	lines []string

	nested bool // belongs to a nested module

	syntax  *ast.File
	fset    *token.FileSet
	imports map[string]string // local name to import path
	marks   []*mark
}

// skipped names folders that hold nothing written for this project, or input
// that is broken on purpose.
var skipped = []string{"testdata", "vendor", "target", "bin", "node_modules"}

// load reads every text file below fsys. It takes a file system rather than a
// folder so that a rule's own test can hand it a tree made of snippets.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && name != "." && name != ".ci"
			if hidden || slices.Contains(skipped, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || d.Name() == "go.sum" {
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil || bytes.IndexByte(src, 0) >= 0 {
			return err
		}
		if d.Name() == "go.mod" && path.Dir(name) != "." {
			t.modules = append(t.modules, path.Dir(name))
		}
		f := &file{path: name, lines: strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")}
		t.files = append(t.files, f)
		return f.parse(src)
	})
	if err != nil {
		return nil, err
	}
	for _, f := range t.files {
		f.nested = t.isNested(f.dir())
	}
	return t, nil
}

// isNested reports whether dir belongs to a nested module.
func (t *tree) isNested(dir string) bool {
	return slices.ContainsFunc(t.modules, func(m string) bool {
		return dir == m || strings.HasPrefix(dir, m+"/")
	})
}

// parse fills the Go half of f, if f is a Go file.
func (f *file) parse(src []byte) error {
	if path.Ext(f.path) != ".go" {
		return nil
	}
	f.fset = token.NewFileSet()
	syntax, err := parser.ParseFile(f.fset, f.path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f.syntax = syntax
	f.imports = make(map[string]string)
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		f.imports[name] = imported
	}
	f.marks = findMarks(f)
	return nil
}

// goFiles yields the Go files for which keep holds.
func (t *tree) goFiles(keep func(*file) bool) []*file {
	var kept []*file
	for _, f := range t.files {
		if f.syntax != nil && keep(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

func (f *file) dir() string  { return path.Dir(f.path) }
func (f *file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) isMain() bool { return f.syntax.Name.Name == "main" }

// isLibrary reports whether f is there to be imported. The packages of bench
// are not: together they are one program.
func (f *file) isLibrary() bool { return !f.isTest() && !f.isMain() && f.top() != "bench" }

// isInternal reports whether no user can import the package of f.
func (f *file) isInternal() bool {
	return slices.Contains(strings.Split(f.dir(), "/"), "internal")
}

// top returns the first element of the path of f, or "." for the root package.
func (f *file) top() string {
	if top, _, ok := strings.Cut(f.path, "/"); ok {
		return top
	}
	return "."
}

func (f *file) line(pos token.Pos) int { return f.fset.Position(pos).Line }

// callee returns the package and the name of a call such as time.Sleep(d). It
// goes by the import alone: a local variable that hides a package would fool
// it, and nobody here should write one.
func (f *file) callee(call *ast.CallExpr) (pkg, name string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	return f.imports[x.Name], sel.Sel.Name
}

// A finding is one place that breaks a rule.
type finding struct {
	rule string
	path string
	line int
	text string
}

func (v finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", v.path, v.line, v.rule, v.text)
}

// at makes a finding at a position of f. The rule's name is filled in by run.
func (f *file) at(pos token.Pos, format string, args ...any) finding {
	return finding{path: f.path, line: f.line(pos), text: fmt.Sprintf(format, args...)}
}
