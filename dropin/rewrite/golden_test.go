package rewrite_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/dropin/rewrite"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var target = rewrite.Pool{Path: "github.com/lockstep-go/lockstep/dropin/target", Expr: "Go"}

// cases returns the folders below testdata/src that hold packages to rewrite.
func cases(t *testing.T) []string {
	entries, err := os.ReadDir("testdata/src")
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		if e.Name() != "run" && (e.Name() != "cgocall" || hasCgo(t)) {
			names = append(names, "./testdata/src/"+e.Name())
		}
	}
	return names
}

// TestGolden compares both forms of each file, and what was left alone, with the files beside it:
// .golden is what an overlay gets, .source.golden what a user reads.
func TestGolden(t *testing.T) {
	for _, form := range []struct {
		ext   string
		c     rewrite.Config
		lines bool
	}{
		{".golden", rewrite.Config{Pool: target, Tests: true, KeepLines: true}, true},
		{".source.golden", rewrite.Config{Pool: rewrite.DefaultPool, Tests: true}, false},
	} {
		r, err := rewrite.Packages(form.c, cases(t)...)
		require.NoError(t, err)
		require.NoError(t, rewrite.Verify(form.c, r))
		require.Len(t, r.Stale, 1)
		require.Equal(t, "marks.go:15", at(r.Stale[0].Filename, r.Stale[0].Line))
		for _, f := range r.Files {
			t.Run(filepath.Base(f.Name)+form.ext, func(t *testing.T) {
				if form.lines {
					require.Equal(t, strings.Count(string(f.Before), "\n"), strings.Count(string(f.After), "\n"), "lines")
				}
				golden(t, f.Name+form.ext, report(f))
			})
		}
	}
}

// report is the file after, and what happened to each statement.
func report(f *rewrite.File) string {
	var b strings.Builder
	for _, s := range f.Sites {
		if s.Left != "" {
			why := strings.ReplaceAll(s.Left, runtime.GOOS+"/"+runtime.GOARCH, "GOOS/GOARCH")
			b.WriteString("// left: " + at(s.Pos.Filename, s.Pos.Line) + " in " + s.In + ": " + why + "\n")
		}
	}
	if !f.Changed() {
		return b.String()
	}
	return b.String() + string(f.After)
}

func golden(t *testing.T, name, got string) {
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "go test ./rewrite -update accepts the difference")
}

// TestGoldenFiles finds golden files whose package has lost its statement.
func TestGoldenFiles(t *testing.T) {
	goldens, err := filepath.Glob("testdata/src/*/*.golden")
	require.NoError(t, err)
	var orphans []string
	for _, name := range goldens {
		source := strings.TrimSuffix(strings.TrimSuffix(name, ".golden"), ".source")
		if text, err := os.ReadFile(source); err != nil || !strings.Contains(string(text), "go ") {
			orphans = append(orphans, name)
		}
	}
	require.Empty(t, slices.Compact(orphans))
}
