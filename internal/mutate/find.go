package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
)

// mutant is a change of one place.
type mutant struct {
	file     string
	line     int
	function string
	before   string // what stands there, on one line
	what     string // becomes of it
	nth      int    // of those that read the same in the function
	id       int    // told to the tests, which have all mutants in them

	target *target
	state  state
	by     string // the test that has killed it
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s: %s", m.file, m.line, m.function, m.before, m.what)
}

// key is the mutant's name in lists that outlive changes elsewhere in the file.
func (m *mutant) key() string {
	key := m.file + " " + m.function + ": " + m.before + ": " + m.what
	if m.nth > 1 {
		key += fmt.Sprintf(" (%d)", m.nth)
	}
	return key
}

// dropped are methods whose calls are taken away where their results are not used.
var dropped = map[string]bool{
	"Lock": true, "Unlock": true, "Enter": true, "Exit": true,
	"signal": true, "wake": true, "Wake": true, "wakeAll": true, "Signal": true, "deliver": true, "Deliver": true, "DeliverHanded": true, "DeliverFrom": true, "unpark": true,
	"signalAll": true, "wakeOne": true, "callHelpers": true, "rouse": true, "tryEnd": true, "end": true,
	"Add": true, "Sub": true, "Inc": true, "Dec": true, "Done": true, "Store": true, "Swap": true, "CompareAndSwap": true,
}

// counters only count, for those who want to read figures.
var counters = regexp.MustCompile(`\b(stats|rescues|rescued|denied|bounded|stalls|retired)\b|linger|rouse\(\)|\b(vain|skip|on)\.`)

// owners is the biased lock of a worker, as its owner takes it: what it guards is done without a point, so no schedule of the suites tells.
var owners = regexp.MustCompile(`\bw\.mu\.(Enter|Exit)\(\)`)

// unstepped are functions that start threads, or that only the monitor calls.
var unstepped = map[string]bool{"spareHelper": true, "retireHelpers": true, "rouse": true}

// find lists the mutants of a file, and returns its source with all of them in it: each does what stands there unless it is switched on. So the tests are built once
// for all mutants, and not once for each.
func find(file string, next *int) ([]*mutant, []byte, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	f := &finder{file: file, src: src, fset: fset, pkg: syntax.Name.Name, next: next}
	for _, d := range syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f.function = fn.Name.Name
			f.inside(fn.Body)
		}
	}
	return f.found, f.source(), nil
}

type finder struct {
	file, pkg, function string
	src                 []byte
	fset                *token.FileSet
	found               []*mutant
	edits               []edit
	next                *int // the next mutant's id
}

// edit is a change of the source.
type edit struct {
	from, to int
	text     string
}

func (f *finder) inside(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if _, name := method(n.X); dropped[name] {
				f.unless(n, "is dropped")
				return false
			}
		case *ast.DeferStmt:
			if _, name := method(n.Call); dropped[name] {
				f.unless(n, "is dropped")
				return false
			}
		case *ast.AssignStmt:
			if n.Tok == token.OR_ASSIGN || n.Tok == token.AND_NOT_ASSIGN {
				f.unless(n, "is dropped")
				return false
			}
		case *ast.CallExpr:
			return f.expression(n)
		}
		return true
	})
}

// method returns the receiver of a method's call, and the method's name.
func method(x ast.Expr) (of ast.Expr, name string) {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return nil, ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, ""
	}
	return sel.X, sel.Sel.Name
}

// unless makes a mutant without the statement.
func (f *finder) unless(n ast.Node, what string) {
	if id := f.mutant(n, what); id > 0 {
		f.edit(n, fmt.Sprintf("if !mutate.On(%d) { %s }", id, f.text(n)))
	}
}

// expression makes mutants of a call whose result is used. It reports whether there may be more inside.
func (f *finder) expression(call *ast.CallExpr) bool {
	x, name := method(call)
	if x == nil {
		return true
	}
	of, all := f.text(x), f.text(call)
	var args []string
	for _, a := range call.Args {
		args = append(args, f.text(a))
	}
	at := of                                                                  // where it is
	if id, ok := x.(*ast.Ident); (!ok || id.Name != "p") && of != "s.begun" { // which are pointers
		at = "&" + of
	}
	is := func(names string, n int) bool { return len(args) == n && slices.Contains(strings.Fields(names), name) }
	switch {
	case is("CompareAndSwap", 2):
		a, b := f.mutant(call, "does not compare"), f.mutant(call, "is not atomic")
		f.edit(call, fmt.Sprintf("mutate.CompareAndSwap(%d, %d, %s, %s, %s)", a, b, at, args[0], args[1]))
	case is("Swap", 1):
		if a := f.mutant(call, "is not atomic"); a > 0 {
			f.edit(call, fmt.Sprintf("mutate.Swap(%d, %s, %s)", a, at, args[0]))
		}
	case is("Claim", 0), is("claim", 0) && f.pkg == "chans" && of == "n":
		a, b := f.mutant(call, "counts as won if it is not"), f.mutant(call, "is not made")
		f.edit(call, fmt.Sprintf("(mutate.On(%d) || %s || mutate.On(%d))", b, all, a))
	case is("Wake TryLock unparkSelf", 0), is("end", 1):
		a := f.mutant(call, "is not done")
		f.edit(call, fmt.Sprintf("(mutate.On(%d) || %s)", a, all))
	case of == "t" && is("Sub", 1): // of a time
		return true
	case is("Add", 1), is("Sub", 1), is("Inc", 0), is("Dec", 0):
		if a := f.mutant(call, "is not atomic"); a > 0 {
			by := map[string]string{"Inc": "1", "Dec": "-1"}[name]
			if len(args) > 0 {
				by = map[string]string{"Add": "", "Sub": "-"}[name] + "int64(" + args[0] + ")"
			}
			f.edit(call, fmt.Sprintf("mutate.Add(%d, %s, %s)", a, at, by))
		}
	default:
		return true
	}
	return false
}

func (f *finder) text(n ast.Node) string {
	return string(f.src[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}

// mutant notes a mutant and returns its id, 0 if the place is none.
func (f *finder) mutant(n ast.Node, what string) int {
	before := strings.Join(strings.Fields(f.text(n)), " ")
	if counters.MatchString(before) || owners.MatchString(before) || unstepped[f.function] {
		return 0
	}
	*f.next++
	m := &mutant{file: f.file, line: f.fset.Position(n.Pos()).Line, function: f.function, before: before, what: what, nth: 1, id: *f.next}
	for _, o := range f.found {
		if o.function == m.function && o.before == m.before && o.what == m.what {
			m.nth++
		}
	}
	f.found = append(f.found, m)
	return *f.next
}

func (f *finder) edit(n ast.Node, text string) {
	f.edits = append(f.edits, edit{f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset, text})
}

// source is the file with all mutants. They are in the order in which they stand there, and none is in another one.
func (f *finder) source() []byte {
	if len(f.edits) == 0 {
		return f.src
	}
	clause := regexp.MustCompile(`(?m)^package .*$`).FindIndex(f.src)[1]
	var b bytes.Buffer
	b.Write(f.src[:clause])
	b.WriteString("; import \"github.com/lockstep-go/lockstep/internal/mutate/mutate\"")
	at := clause
	for _, e := range f.edits {
		b.Write(f.src[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.Write(f.src[at:])
	return b.Bytes()
}
