package lint

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// A snippet is one file of a made-up tree and the findings that it must give,
// each as "line rule". Snippets are stored with the mark's prefix and the
// forbidden words taken apart where these would be findings in this file.
type snippet struct {
	about string
	path  string
	src   string
	want  []string
}

const doc = "// Package p is one.\npackage p\n"

var snippets = []snippet{
	{"documented", "pool/p.go", doc + "// F does.\nfunc F() {}\n", nil},
	{"function without doc", "pool/p.go", doc + "func F() {}\n", []string{"3 docs"}},
	{"doc of another name", "pool/p.go", doc + "// Fs does.\nfunc F() {}\n", []string{"4 docs"}},
	{"method of an exported type", "pool/p.go", doc + "// T is.\ntype T[A any] struct{}\nfunc (*T[A]) F() {}\n", []string{"5 docs"}},
	{"method of an unexported type", "pool/p.go", doc + "type t struct{}\nfunc (t) F() {}\n", nil},
	{"type with an article", "pool/p.go", doc + "// A T is.\ntype T struct{}\n", nil},
	{"function with an article", "pool/p.go", doc + "// A F is.\nfunc F() {}\n", []string{"4 docs"}},
	{"field", "pool/p.go", doc + "// T is.\ntype T struct {\n\tA int\n\tB int // is\n\tC int\n}\n", []string{"5 docs", "7 docs"}},
	{"fields below one comment", "pool/p.go", doc + "// T is.\ntype T struct {\n\t// A and B are\n\tA int\n\tB int\n\n\tC int\n}\n", []string{"9 docs"}},
	{"unexported type's field", "pool/p.go", doc + "type t struct {\n\tA int\n}\n", nil},
	{"interface method", "pool/p.go", doc + "// T is.\ntype T interface {\n\tF()\n}\n", []string{"5 docs"}},
	{"lone variable", "pool/p.go", doc + "var V = 1\n\n// V is.\nvar W = 1\n", []string{"3 docs", "6 docs"}},
	{"block without comment", "pool/p.go", doc + "var (\n\tV = 1\n\n\t// W is.\n\tW = 1\n)\n", []string{"4 docs"}},
	{"comment of the block", "pool/p.go", doc + "// Numbers.\nconst (\n\tA = iota\n\tB\n\n\tC\n)\n", []string{"8 docs"}},
	{"comment of a block of types", "pool/p.go", doc + "// Types.\ntype (\n\tT int\n)\n", []string{"5 docs"}},
	{"internal needs none", "internal/p/p.go", doc + "func F() {}\n", nil},
	{"a command needs none", "cmd/p/p.go", "// P is one.\npackage main\nfunc F() {}\n", nil},
	{"a test needs none", "pool/p_test.go", "package p\nfunc F() {}\n", nil},

	{"no package comment", "pool/p.go", "package p\n", []string{"1 pkgdoc"}},
	{"no package comment, command", "cmd/p/p.go", "package main\n", []string{"1 pkgdoc"}},
	{"wrong package comment", "pool/p.go", "// This is p.\npackage p\n", []string{"2 pkgdoc"}},

	{"500 lines", "pool/p.go", doc + strings.Repeat("\n", 498), nil},
	{"501 lines", "pool/p.go", doc + strings.Repeat("\n", 499), []string{"501 length"}},
	{"501 lines of script", ".ci/run", strings.Repeat("\n", 501), []string{"501 length"}},
	{"501 lines of prose", "docs/a.md", strings.Repeat("\n", 501), nil},
	{"501 lines of test data", "pool/testdata/p.go", strings.Repeat("\n", 501), nil},

	{"unfinished", "pool/p.go", doc + "// TO" + "DO: more\n", []string{"3 unfinished"}},
	{"unfinished prose", "README.md", "\nFIX" + "ME\n", []string{"2 unfinished"}},
	{"part of a word", "README.md", "TO" + "DOS\n", nil},

	{"path", "pool/p.go", doc + "var p = \"/ro" + "ot/x\"\n", []string{"3 paths"}},
	{"path in a script", ".ci/run", "cd /wor" + "k/main\n", []string{"1 paths"}},
	{"relative path", "README.md", "cd work/main\n", nil},

	{"sleep in a test", "pool/p_test.go", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }\n", []string{"3 sleep"}},
	{"sleep by another name", "pool/p_test.go", "package p\nimport clock \"time\"\nfunc f() { clock.Sleep(1) }\n", []string{"3 sleep"}},
	{
		"sleep in a bubble", "pool/p_test.go",
		"package p\nimport (\n\"testing/synctest\"\n\"time\"\n)\nfunc f() { synctest.Test(nil, func(t *T) { go func() { time.Sleep(1) }() }) }\n", nil,
	},
	{"sleep beside a bubble", "pool/p_test.go", "package p\nimport (\n\"testing/synctest\"\n\"time\"\n)\nfunc f() { synctest.Test(nil, g); time.Sleep(1) }\n", []string{"6 sleep"}},
	{"somebody else's Sleep", "pool/p_test.go", "package p\nfunc f() { lockstep.Sleep(nil, 1) }\n", nil},

	{"standard atomic", "pool/p.go", doc + "import \"sync/atomic\"\n", []string{"3 stdatomic"}},
	{"standard atomic in a test", "pool/p_test.go", "package p\nimport \"sync/atomic\"\n", []string{"2 stdatomic"}},
	{"uber's atomic", "pool/p.go", doc + "import \"go.uber.org/atomic\"\n", nil},

	{"print", "pool/p.go", doc + "import \"fmt\"\nfunc f() { fmt.Printf(\"x\") }\n", []string{"4 print"}},
	{"builtin print", "pool/p.go", doc + "func f() { println(1) }\n", []string{"3 print"}},
	{"print to a writer", "pool/p.go", doc + "import \"fmt\"\nfunc f() { fmt.Fprintln(w) }\n", nil},
	{"print in a command", "cmd/p/p.go", "// P is one.\npackage main\nimport \"fmt\"\nfunc f() { fmt.Println() }\n", nil},

	{"downwards", "pool/p.go", doc + "import \"" + modulePath + "/queue\"\n", nil},
	{"upwards to the root", "pool/p.go", doc + "import \"" + modulePath + "\"\n", []string{"3 layers"}},
	{"upwards from queue", "queue/p.go", doc + "import \"" + modulePath + "/pool\"\n", []string{"3 layers"}},
	{"upwards from internal", "internal/p/p.go", doc + "import \"" + modulePath + "/queue\"\n", []string{"3 layers"}},
	{"root to a package above", "p.go", doc + "import \"" + modulePath + "/debug\"\n", []string{"3 layers"}},
	{"upwards in a test", "pool/p_test.go", "package p_test\nimport \"" + modulePath + "\"\n", nil},
	{"unknown package", "extra/p.go", doc, []string{"2 layers"}},

	{"goroutine in queue", "queue/p.go", doc + "func f() { go f() }\n", []string{"3 pure"}},
	{"lock in queue", "queue/p.go", doc + "import \"sync\"\n", []string{"3 pure"}},
	{"clock in queue", "queue/p.go", doc + "import \"time\"\nvar f = time.Now\n", []string{"4 pure"}},
	{"durations in queue", "queue/p.go", doc + "import \"time\"\nconst d = time.Second\n", nil},
	{"dependency in queue", "queue/p.go", doc + "import \"go.uber.org/atomic\"\n", []string{"3 pure"}},
	{"internal in queue", "queue/p.go", doc + "import \"" + modulePath + "/internal/x\"\n", nil},
	{"goroutine in pool", "pool/p.go", doc + "func f() { go f() }\n", nil},

	{"panic", "pool/p.go", doc + "func f() { panic(\"nil func\") }\n", []string{"3 panics"}},
	{"prefixed panic", "pool/p.go", doc + "func f() { panic(\"lockstep: nil func\") }\n", nil},
	{"concatenated panic", "pool/p.go", doc + "func f() { panic((\"a\" + b) + c) }\n", []string{"3 panics"}},
	{"formatted panic", "pool/p.go", doc + "import \"fmt\"\nfunc f() { panic(fmt.Sprintf(\"%d\", 1)) }\n", []string{"4 panics"}},
	{"passed on", "pool/p.go", doc + "func f() { panic(v) }\n", nil},
}

func TestRules(t *testing.T) {
	for _, s := range snippets {
		t.Run(s.about, func(t *testing.T) {
			require.Equal(t, s.want, findings(t, map[string]string{s.path: s.src}))
		})
	}
}

// TestEveryRuleFires keeps a new rule from coming without a snippet.
func TestEveryRuleFires(t *testing.T) {
	fires := make(map[string]bool)
	for _, s := range snippets {
		for _, want := range s.want {
			_, rule, _ := strings.Cut(want, " ")
			fires[rule] = true
		}
	}
	for _, r := range rules {
		require.True(t, fires[r.name], "no snippet breaks %s", r.name)
	}
}

func TestTwoPackageComments(t *testing.T) {
	require.Equal(t, []string{"2 pkgdoc"}, findings(t, map[string]string{"pool/a.go": doc, "pool/b.go": doc}))
	require.Empty(t, findings(t, map[string]string{"pool/a.go": doc, "pool/b.go": "package p\n"}))
}

// TestNestedModule checks what is different there: any import and any atomic,
// and in bench, which nobody imports, names without a comment.
func TestNestedModule(t *testing.T) {
	src := doc + "import (\n\t\"sync/atomic\"\n\t\"" + modulePath + "\"\n\t\"" + modulePath + "/extra/q\"\n)\n"
	require.Empty(t, findings(t, map[string]string{"extra/go.mod": "", "extra/p/p.go": src}))
	require.Equal(t, []string{"3 docs"}, findings(t, map[string]string{"extra/go.mod": "", "extra/p/p.go": doc + "func F() {}\n"}))
	require.Empty(t, findings(t, map[string]string{"bench/go.mod": "", "bench/p/p.go": doc + "func F() {}\n"}))
	require.Equal(t, []string{"2 layers", "4 stdatomic"}, findings(t, map[string]string{"extra/p/p.go": src}))
}

func TestMarks(t *testing.T) {
	const imp = "import \"sync/atomic\""
	mark := func(rest string) string { return markPrefix + rest + "\n" }
	for about, c := range map[string]struct {
		src  string
		want []string
	}{
		"same line":      {doc + imp + " " + mark(" stdatomic needs it"), nil},
		"line above":     {doc + mark(" stdatomic needs it") + imp + "\n", nil},
		"comment above":  {doc + mark(" stdatomic needs it") + "// very much\n" + imp + "\n", nil},
		"whole file":     {mark(" stdatomic needs it") + "\n" + doc + "\n\n" + imp + "\n", nil},
		"too far":        {doc + mark(" stdatomic needs it") + "\n" + imp + "\n", []string{"3 marks", "5 stdatomic"}},
		"no reason":      {doc + imp + " " + mark(" stdatomic"), []string{"3 marks"}},
		"unknown rule":   {doc + mark(" sleeping is fun"), []string{"3 marks"}},
		"another rule":   {doc + imp + " " + mark(" sleep is fun"), []string{"3 marks", "3 stdatomic"}},
		"nothing to say": {doc + mark(""), []string{"3 marks"}},
		"stale":          {doc + mark(" print needs it"), []string{"3 marks"}},
	} {
		t.Run(about, func(t *testing.T) {
			require.Equal(t, c.want, findings(t, map[string]string{"pool/p.go": c.src}))
		})
	}
}

func TestOutsiders(t *testing.T) {
	list := "go.uber.org/atomic\n\n" + modulePath + "\n" + modulePath + "/pool\n" + modulePath + "er/x\na.b/c\n"
	require.Equal(t, []string{"a.b/c", modulePath + "er/x", "go.uber.org/atomic"}, outsiders(list))
}

func TestBrokenSource(t *testing.T) {
	_, err := load(fstest.MapFS{"pool/p.go": {Data: []byte("package")}})
	require.ErrorContains(t, err, "pool/p.go")
}

// findings runs every rule over a tree of these files, as "line rule" each.
func findings(t *testing.T, files map[string]string) []string {
	t.Helper()
	fsys := make(fstest.MapFS)
	for name, src := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(src)}
	}
	tree, err := load(fsys)
	require.NoError(t, err)
	var got []string
	for _, v := range run(tree) {
		_, rest, _ := strings.Cut(v.String(), ":")
		line, rest, _ := strings.Cut(rest, ": ")
		rule, _, _ := strings.Cut(rest, ": ")
		got = append(got, line+" "+rule)
	}
	return got
}
