package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	main "github.com/lockstep-go/lockstep/dropin/cmd/lockstep-rewrite"
)

const program = `package main

import "fmt"

type pool struct{}

func (pool) Go(f func()) { f() }

var own pool

func main() {
	n := 1
	go fmt.Println(n, "task")
}
`

// module writes a module of one file and returns its folder.
func module(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/app\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o600))
	return dir
}

func run(dir string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = main.Run(args, dir, &out, &errs)
	return status, out.String(), errs.String()
}

func TestReport(t *testing.T) {
	status, out, errs := run(module(t, program), "-pool", "own.Go", ".")
	require.Equal(t, 0, status, errs)
	require.Equal(t, `main.go: 1 go statement
1 go statement would be rewritten to call own.Go, 0 left alone

Nothing was written. -diff shows the changes, -overlay tries them, -w makes them.
`, out)
}

func TestDiffAndWrite(t *testing.T) {
	dir := module(t, program)
	status, diff, errs := run(dir, "-diff", "-pool", "own.Go", "./...")
	require.Equal(t, 0, status, errs)
	require.Equal(t, `--- a/main.go
+++ b/main.go
@@ -10,5 +10,8 @@
 
 func main() {
 	n := 1
-	go fmt.Println(n, "task")
+	{
+		n := n
+		own.Go(func() { fmt.Println(n, "task") })
+	}
 }
`, diff)
	status, out, errs := run(dir, "-w", "-pool", "own.Go", "./...")
	require.Equal(t, 0, status, errs)
	require.Contains(t, out, "1 go statement rewritten")
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
	require.Equal(t, "1 task\n", string(text))
	status, out, errs = run(dir, "-w", "-pool", "own.Go", "./...")
	require.Equal(t, 0, status, errs)
	require.Contains(t, out, "0 go statements rewritten")
}

func TestOverlay(t *testing.T) {
	dir := module(t, program)
	overlay := filepath.Join(t.TempDir(), "new")
	status, out, errs := run(dir, "-overlay", overlay, "-pool", "own.Go", ".")
	require.Equal(t, 0, status, errs)
	require.Contains(t, out, "Try it: go test -overlay="+filepath.Join(overlay, "overlay.json"))
	cmd := exec.Command("go", "run", "-overlay", filepath.Join(overlay, "overlay.json"), ".")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
	require.Equal(t, "1 task\n", string(text))
}

// TestErrors holds what people will get wrong, and what they are told.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		args       []string
		status     int
		want       string
	}{
		{"no packages", program, nil, 2, "no packages are named"},
		{"two modes", program, []string{"-w", "-diff", "."}, 2, "exclude each other"},
		{"unknown flag", program, []string{"-x", "."}, 2, "see lockstep-rewrite -help"},
		{"no function", program, []string{"-pool", "example.com/app", "."}, 2, "a function is missing behind the import path"},
		{"no expression", program, []string{"-pool", "a b", "."}, 2, "not a Go expression"},
		{"no module", program, []string{"."}, 1, "the package github.com/lockstep-go/lockstep of the pool cannot be loaded"},
		{"no package", program, []string{"-pool", "own.Go", "./missing"}, 1, "missing"},
		{"broken", strings.Replace(program, "n := 1", "n := x", 1), []string{"-pool", "own.Go", "."}, 1, "main.go:12:7: undefined: x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := module(t, c.text)
			status, _, errs := run(dir, c.args...)
			require.Equal(t, c.status, status, errs)
			require.Contains(t, errs, c.want)
			text, err := os.ReadFile(filepath.Join(dir, "main.go"))
			require.NoError(t, err)
			require.Equal(t, c.text, string(text))
		})
	}
}

// TestScope finds a pool expression that means nothing, or something else, where a statement stands.
func TestScope(t *testing.T) {
	status, out, _ := run(module(t, program), "-pool", "p.Go", ".")
	require.Equal(t, 0, status)
	require.Contains(t, out, "main.go:13 in main: left: p.Go means nothing here")
	status, out, _ = run(module(t, program), "-pool", "fmt.Sprint", ".")
	require.Equal(t, 0, status)
	require.Contains(t, out, "left: fmt.Sprint is no function of a func() here")
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\nb\n", "a\nb\n", ""},
		{"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{
			"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
			"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n",
		},
		{
			"1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
			"@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n",
		},
	} {
		require.Equal(t, "--- a/x\n+++ b/x\n"+c.want, main.Unified("x", c.before, c.after))
	}
}
