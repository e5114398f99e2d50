package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// checkDocs asks a doc comment of every name that a user can see. Functions,
// methods and types open with their name, which is what makes a page of
// documentation searchable; a field needs a comment, in any words.
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
				for _, spec := range decl.Specs {
					found = append(found, f.checkSpec(decl, spec)...)
				}
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

// checkSpec checks one spec of a const, var or type declaration. The comment
// of the whole declaration counts only where there are no parentheses: the one
// above a block speaks of the block.
func (f *file) checkSpec(decl *ast.GenDecl, spec ast.Spec) []finding {
	var whole *ast.CommentGroup
	if !decl.Lparen.IsValid() {
		whole = decl.Doc
	}
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		i := slices.IndexFunc(spec.Names, (*ast.Ident).IsExported)
		if i < 0 || spec.Comment.Text() != "" && decl.Tok == token.CONST {
			return nil // A line comment is enough for one of a list of constants.
		}
		return f.wantDoc(spec.Names[i], false, spec.Doc, whole)
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return nil
		}
		found := f.wantDoc(spec.Name, true, spec.Doc, whole)
		switch def := spec.Type.(type) {
		case *ast.StructType:
			found = append(found, f.checkMembers(spec.Name.Name, def.Fields, false)...)
		case *ast.InterfaceType:
			found = append(found, f.checkMembers(spec.Name.Name, def.Methods, true)...)
		}
		return found
	}
	return nil
}

// checkMembers checks the exported fields of a struct or methods of an
// interface.
func (f *file) checkMembers(typeName string, members *ast.FieldList, methods bool) []finding {
	var found []finding
	for _, m := range members.List {
		i := slices.IndexFunc(m.Names, (*ast.Ident).IsExported)
		switch {
		case i < 0: // embedded or unexported
		case methods:
			found = append(found, f.wantDoc(m.Names[i], false, m.Doc)...)
		case m.Doc.Text() == "" && m.Comment.Text() == "":
			found = append(found, f.at(m.Pos(), "field %s.%s has no comment", typeName, m.Names[i].Name))
		}
	}
	return found
}

// wantDoc asks that the first comment there is opens with name, after an
// article if article is set.
func (f *file) wantDoc(name *ast.Ident, article bool, docs ...*ast.CommentGroup) []finding {
	text := ""
	for _, doc := range docs {
		if text = doc.Text(); text != "" {
			break
		}
	}
	words := strings.Fields(text)
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
