package rewrite

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
)

// addition is the import of the pool's package that a file still needs.
type addition struct {
	s    *source
	spec string // what follows the word import; empty if nothing is needed
	path string
}

// pickImport decides how the file writes the pool's function, and which import that
// needs. The second result says why no statement of the file can be rewritten.
func (s *source) pickImport(stmts []*ast.GoStmt) (addition, string) {
	if why := s.wholeFile(); why != "" {
		return addition{}, why
	}
	pool := s.c.Pool
	if pool.Path == "" {
		s.pool = pool.call("")
		return addition{}, ""
	}
	for _, spec := range s.file.Imports {
		if importPath(spec) != pool.Path {
			continue
		}
		everywhere, as := true, ""
		for _, g := range stmts {
			name, ok := s.importedAs(spec, g.Pos())
			everywhere, as = everywhere && ok, name
		}
		if everywhere {
			s.pool = pool.call(as)
			return addition{}, ""
		}
	}
	// A name that nothing else in the file or the package has is hidden nowhere.
	taken := freeNames(s.file)
	for _, name := range s.u.pkg.Scope().Names() {
		taken[name] = true
	}
	name := pick(taken, s.host.name, "pool")
	s.pool = pool.call(name)
	spec := strconv.Quote(pool.Path)
	if name != path.Base(pool.Path) {
		spec = name + " " + spec
	}
	return addition{s, spec, pool.Path}, ""
}

func importPath(spec *ast.ImportSpec) string {
	p, _ := strconv.Unquote(spec.Path.Value)
	return p
}

// importedAs returns the name of an import, and whether it can be used at pos.
func (s *source) importedAs(spec *ast.ImportSpec, pos token.Pos) (string, bool) {
	var obj types.Object
	if spec.Name != nil {
		obj = s.info.Defs[spec.Name]
	} else {
		obj = s.info.Implicits[spec]
	}
	if obj == nil || obj.Name() == "_" || obj.Name() == "." {
		return "", false
	}
	scope := s.u.pkg.Scope().Innermost(pos)
	if scope == nil {
		return "", false
	}
	_, found := scope.LookupParent(obj.Name(), pos)
	return obj.Name(), found == obj
}

// poolAt says why the pool's expression cannot be used at pos. One that is imported is checked with
// the rewritten package.
func (s *source) poolAt(pos token.Pos) string {
	if s.c.Pool.Path != "" {
		return ""
	}
	tv, err := types.Eval(s.u.fset, s.u.pkg, pos, s.pool)
	if err != nil {
		return s.pool + " means nothing here"
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok || sig.Variadic() || sig.Params().Len() != 1 || !types.AssignableTo(funcType, sig.Params().At(0).Type()) {
		return s.pool + " is no function of a func() here"
	}
	return ""
}

// edits returns what adds the import.
func (a addition) edits() []edit {
	if a.spec == "" {
		return nil
	}
	s := a.s
	name := s.offset(s.file.Name.End())
	if s.c.KeepLines {
		return []edit{{name, name, "; import " + a.spec}}
	}
	var decls []*ast.GenDecl
	for _, d := range s.file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			decls = append(decls, d)
		}
	}
	for _, d := range decls {
		if n := len(d.Specs); n > 0 && d.Lparen.IsValid() && s.line(d.Lparen) < s.line(d.Specs[0].Pos()) && s.line(d.Specs[n-1].End()) < s.line(d.Rparen) {
			return a.inBlock(d)
		}
	}
	if len(decls) == 0 {
		return a.alone(name, "\n\nimport "+a.spec)
	}
	last := decls[len(decls)-1]
	if len(decls) == 1 && !last.Lparen.IsValid() && !a.followed(s.offset(last.End())) {
		if spec := last.Specs[0].(*ast.ImportSpec); importPath(spec) != "C" {
			return a.newBlock(last, spec)
		}
	}
	return a.alone(s.offset(last.End()), "\nimport "+a.spec)
}

// alone adds a declaration behind the line of at, or, if another one follows on that line, right at it.
func (a addition) alone(at int, text string) []edit {
	if a.followed(at) {
		return []edit{{at, at, "; import " + a.spec}}
	}
	end := a.s.lineEnd(at)
	return []edit{{end, end, text}}
}

// followed reports whether a declaration begins between at and the end of its line.
func (a addition) followed(at int) bool {
	return slices.ContainsFunc(a.s.file.Decls, func(d ast.Decl) bool {
		start := a.s.offset(d.Pos())
		return start >= at && start < a.s.lineEnd(at)
	})
}

// newBlock makes a block of the only import declaration, which has none.
func (a addition) newBlock(d *ast.GenDecl, spec *ast.ImportSpec) []edit {
	end := a.s.lineEnd(a.s.offset(d.End()))
	open := a.s.cut(d.TokPos, d.TokPos+token.Pos(len("import")))
	switch {
	case !ofModule(spec):
		open.text = "import (\n\t"
		return []edit{open, {end, end, "\n\n\t" + a.spec + "\n)"}}
	case importPath(spec) < a.path:
		open.text = "import (\n\t"
		return []edit{open, {end, end, "\n\t" + a.spec + "\n)"}}
	}
	open.text = "import (\n\t" + a.spec + "\n\t"
	return []edit{open, {end, end, "\n)"}}
}

// ofModule reports whether the import is not of the standard library.
func ofModule(spec *ast.ImportSpec) bool {
	elem, _, _ := strings.Cut(importPath(spec), "/")
	return strings.Contains(elem, ".")
}

// inBlock adds the import to a block, in order among those of other modules, or as a group of its own.
func (a addition) inBlock(d *ast.GenDecl) []edit {
	s := a.s
	var before, first *ast.ImportSpec // the last one that sorts before, and the first of a module
	for _, spec := range d.Specs {
		spec := spec.(*ast.ImportSpec)
		p := importPath(spec)
		if !ofModule(spec) {
			continue
		}
		if first == nil {
			first = spec
		}
		if p < a.path {
			before = spec
		}
	}
	switch {
	case before != nil:
		end := s.lineEnd(s.offset(before.End()))
		return []edit{{end, end, "\n\t" + a.spec}}
	case first != nil:
		pos := first.Pos()
		if first.Doc != nil {
			pos = first.Doc.Pos()
		}
		at := s.offset(pos)
		return []edit{{at, at, a.spec + "\n\t"}}
	}
	end := s.lineEnd(s.offset(d.Specs[len(d.Specs)-1].End()))
	return []edit{{end, end, "\n\n\t" + a.spec}}
}

func (s *source) line(pos token.Pos) int { return s.u.fset.PositionFor(pos, false).Line }

func (s *source) lineEnd(at int) int {
	n := bytes.IndexByte(s.src[at:], '\n')
	if n < 0 {
		return len(s.src)
	}
	if n > 0 && s.src[at+n-1] == '\r' {
		n--
	}
	return at + n
}

// finish makes the edits, and formats the file if it was formatted before.
func (s *source) finish(edits []edit) ([]byte, error) {
	out := apply(s.src, edits)
	if s.c.KeepLines {
		return out, nil
	}
	if formatted, err := format.Source(s.src); err != nil || !bytes.Equal(formatted, s.src) {
		return out, nil
	}
	return format.Source(out)
}
