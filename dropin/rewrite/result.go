package rewrite

import (
	"cmp"
	"go/token"
	"slices"
)

// Config says what to rewrite and how. The zero value with a Pool is usable.
type Config struct {
	// Dir is where the go command runs; empty is the current folder.
	Dir string
	// Env is the environment of the go command; nil is that of the process. GOOS and
	// the like decide which files are seen.
	Env []string
	// Tags are build tags, as in go build.
	Tags []string
	// Pool takes the place of the go keyword.
	Pool Pool
	// Tests includes the packages' test files.
	Tests bool
	// Generated includes files marked as generated.
	Generated bool
	// KeepLines keeps the number of every line, for overlays.
	KeepLines bool
}

// Result is what a rewriting did and what it left alone.
type Result struct {
	// Files are all files with go statements, in the order of their names.
	Files []*File
	// Stale are //lockstep:keep marks that have no go statement any more.
	Stale []token.Position
	// Packages are the import paths that were looked at.
	Packages []string
}

// File is a source file with go statements.
type File struct {
	// Name is the file's absolute path.
	Name string
	// Package is the import path.
	Package string
	// Test says that the go command compiles it for tests only.
	Test bool
	// Before and After are its text. They are equal if all statements were left alone.
	Before, After []byte
	// Sites are its go statements, from top to bottom.
	Sites []Site
}

// Site is one go statement.
type Site struct {
	// Pos is where the statement stands in the file before.
	Pos token.Position
	// In is the declared function around it, such as "(*Group).Go"; empty in a variable's initializer.
	In string
	// Left says why the statement was left alone; empty if it was rewritten.
	Left string
}

// Changed reports whether any statement of the file was rewritten.
func (f *File) Changed() bool { return f.Rewritten() > 0 }

// Rewritten counts the statements that were rewritten.
func (f *File) Rewritten() int {
	n := 0
	for _, s := range f.Sites {
		if s.Left == "" {
			n++
		}
	}
	return n
}

// Count returns how many statements were rewritten and how many were left alone.
func (r *Result) Count() (rewritten, left int) {
	for _, f := range r.Files {
		n := f.Rewritten()
		rewritten += n
		left += len(f.Sites) - n
	}
	return rewritten, left
}

// sort brings files and marks into the order that reports want.
func (r *Result) sort() {
	slices.SortFunc(r.Files, func(a, b *File) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(r.Stale, func(a, b token.Position) int {
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line))
	})
	slices.Sort(r.Packages)
	r.Packages = slices.Compact(r.Packages)
}
