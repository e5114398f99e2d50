package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// checkDocs asks a doc comment of every name that a user can see. It opens with
// the name, which is what makes a page of documentation searchable. Members of a
// struct, an interface or a block are the exception: there a comment speaks, in
// any words, for the lines below it up to the next empty one.
func checkDocs(t *tree) []finding {
	var found []finding
	for _, f := range t.goFiles(func(f *file) bool { return f.isLibrary() && !f.isInternal() }) {
		for _, decl := range f.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Name.IsExported() && (decl.Recv == nil || ast.IsExported(receiver(decl))) {
					found = append(found, f.wantDoc(decl.Name, false, decl.Doc)...)
				}
			case *ast.GenDecl:
				found = append(found, f.checkDecl(decl)...)
			}
		}
	}
	return found
}

// receiver returns the name of the type that a method belongs to.
func receiver(decl *ast.FuncDecl) string {
	expr := decl.Recv.List[0].Type
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.ParenExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// checkDecl checks a const, var or type declaration. The comment above a block
// speaks of the block, so a type in it needs its own.
func (f *file) checkDecl(decl *ast.GenDecl) []finding {
	var found []finding
	block := decl.Lparen.IsValid()
	values := members{f: f, prefix: decl.Tok.String() + " ", spoken: block && decl.Doc.Text() != "", last: f.line(decl.Lparen)}
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if block {
				found = append(found, values.next(spec, spec.Names, spec.Doc, spec.Comment)...)
			} else if i := slices.IndexFunc(spec.Names, (*ast.Ident).IsExported); i >= 0 {
				found = append(found, f.wantDoc(spec.Names[i], false, decl.Doc)...)
			}
		case *ast.TypeSpec:
			if !spec.Name.IsExported() {
				continue
			}
			doc := spec.Doc
			if !block {
				doc = decl.Doc
			}
			found = append(found, f.wantDoc(spec.Name, true, doc)...)
			found = append(found, f.checkMembers(spec)...)
		}
	}
	return found
}

// checkMembers checks the fields of a struct or the methods of an interface.
func (f *file) checkMembers(spec *ast.TypeSpec) []finding {
	var list *ast.FieldList
	switch def := spec.Type.(type) {
	case *ast.StructType:
		list = def.Fields
	case *ast.InterfaceType:
		list = def.Methods
	default:
		return nil
	}
	var found []finding
	r := members{f: f, prefix: spec.Name.Name + "."}
	for _, m := range list.List {
		found = append(found, r.next(m, m.Names, m.Doc, m.Comment)...)
	}
	return found
}

// members follows neighbouring members of a block, and knows whether a comment
// speaks for the one that comes next.
type members struct {
	f      *file
	prefix string // of a member's name in findings
	spoken bool
	last   int // the line that the previous member ended on
}

// next checks one member, which declares names.
func (r *members) next(n ast.Node, names []*ast.Ident, doc, trailing *ast.CommentGroup) []finding {
	switch {
	case doc.Text() != "":
		r.spoken = true
	case r.f.line(n.Pos()) > r.last+1:
		r.spoken = false
	}
	r.last = r.f.line(n.End())
	i := slices.IndexFunc(names, (*ast.Ident).IsExported)
	if i < 0 || r.spoken || trailing.Text() != "" {
		return nil
	}
	return []finding{r.f.at(names[i].Pos(), "%s%s has no comment", r.prefix, names[i].Name)}
}

// wantDoc asks that doc opens with name, after an article if article is set.
func (f *file) wantDoc(name *ast.Ident, article bool, doc *ast.CommentGroup) []finding {
	words := strings.Fields(doc.Text())
	if len(words) > 1 && article && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	switch {
	case len(words) == 0:
		return []finding{f.at(name.Pos(), "%s has no doc comment", name.Name)}
	case strings.TrimRight(words[0], ",.:;") != name.Name:
		return []finding{f.at(name.Pos(), "the doc comment of %s does not open with its name", name.Name)}
	}
	return nil
}

// checkPackageDocs asks for exactly one package comment for each package. Two
// would be shown one after the other in an order that nobody chose.
func checkPackageDocs(t *tree) []finding {
	byPackage := make(map[string][]*file)
	for _, f := range t.goFiles(func(f *file) bool { return !f.isTest() }) {
		key := f.dir() + " " + f.syntax.Name.Name
		byPackage[key] = append(byPackage[key], f)
	}
	var found []finding
	for _, files := range byPackage {
		var with []*file
		for _, f := range files {
			if f.syntax.Doc.Text() != "" {
				with = append(with, f)
			}
		}
		f := files[0]
		name := f.syntax.Name.Name
		switch {
		case len(with) == 0:
			found = append(found, f.at(f.syntax.Package, "package %s has no package comment", name))
		case len(with) > 1:
			found = append(found, with[1].at(with[1].syntax.Package, "package %s has a package comment in %s too", name, with[0].path))
		case name != "main" && !strings.HasPrefix(with[0].syntax.Doc.Text(), fmt.Sprintf("Package %s ", name)):
			found = append(found, with[0].at(with[0].syntax.Package, "the package comment does not open with: Package %s", name))
		}
	}
	return found
}
