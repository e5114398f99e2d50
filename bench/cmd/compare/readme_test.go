package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// update rewrites the golden file: go test ./cmd/compare -update, and look at the difference.
var update = flag.Bool("update", false, "rewrite testdata/readme.golden")

func TestTheReadmesTableIsGenerated(t *testing.T) {
	golden := filepath.Join("testdata", "readme.golden")
	source, err := os.ReadFile(filepath.Join("testdata", "readme.md"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(path, source, 0o644))

	r, err := readJSON(filepath.Join("testdata", "values.json"))
	require.NoError(t, err)
	for range 2 { // what is between the marks is replaced, so the second time changes nothing
		require.NoError(t, r.rewriteReadme(path))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestTheRowsOfTheReadmeExist(t *testing.T) {
	for _, name := range readmeRows {
		w, _ := known(name)
		require.NotNil(t, w, name)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	require.NoError(t, err)
	_, err = between(text, "")
	require.NoError(t, err, "the project's README has a table to be rewritten")
}

func TestNotEveryRunIsForTheReadme(t *testing.T) {
	for _, s := range []Setting{{Short: true}, {GaveUp: true}, {Disturbance: everything}} {
		require.Error(t, s.presentable(), "%+v", s)
	}
	require.NoError(t, Setting{Disturbance: 5}.presentable())
}

func TestMarksInTheWrongOrderAreRefused(t *testing.T) {
	for _, text := range []string{"", readmeBegin, readmeEnd + readmeBegin} {
		_, err := between([]byte(text), "")
		require.Error(t, err, text)
	}
}
