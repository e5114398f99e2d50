package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain ignores what runs before any test: importing ants starts two goroutines.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

func TestBadCommandLinesAreRefused(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "such", "directory", "file.md")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"unknown flag":      {[]string{"-fast"}, "flag provided but not defined: -fast"},
		"argument":          {[]string{"Batch256"}, `unexpected argument "Batch256"`},
		"no rounds":         {[]string{"-rounds", "0"}, "-rounds 0: at least one round is needed"},
		"no workers":        {[]string{"-workers", "-1"}, "-workers -1: at least one worker is needed"},
		"short shares":      {[]string{"-shares", "1ms"}, "-shares 1ms: below 50ms"},
		"no limit":          {[]string{"-limit", "0s"}, "-limit 0s: a positive duration is needed"},
		"broken expression": {[]string{"-run", "("}, `-run "(" is not a regular expression`},
		"no such row":       {[]string{"-run", "Batch257"}, `-run "Batch257" matches no row; -list names them`},
		"one file twice":    {[]string{"-out", "x", "-json", "x"}, "-out and -json both name x"},
		"no directory, out": {[]string{"-out", missing}, "-out: open " + missing},
		"no directory, json": {
			[]string{"-json", missing},
			"-json: open " + missing,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, 2, run(c.args, &stdout, &stderr))
			require.Contains(t, stderr.String(), c.says)
			require.Empty(t, stdout.String())
		})
	}
}

func TestHelpIsNoError(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 0, run([]string{"-h"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "-rounds")
}

func TestListNamesEveryRow(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 0, run([]string{"-list"}, &stdout, &stderr))
	for _, name := range []string{"Outside1", "Tree16", "MemoryInside", "Noise1000Same", "Shares"} {
		require.Contains(t, stdout.String(), name)
	}
}

func TestAShortRunWritesBothReports(t *testing.T) {
	dir := t.TempDir()
	out, data := filepath.Join(dir, "report.md"), filepath.Join(dir, "report.json")
	require.NoError(t, os.WriteFile(out, []byte("an earlier, longer report"), 0o644))

	var stdout, stderr bytes.Buffer
	args := []string{"-quick", "-run", "^(Batch256|BlockOff|DirectCall|Shares)$", "-shares", "50ms", "-out", out, "-json", data}
	require.Equal(t, 0, run(args, &stdout, &stderr), stderr.String())
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "round 2/2")

	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, part := range []string{"quick run", "| Batch256 |", "| BlockOff |", "### Shares", "### To reach", "not run", "ants/v2"} {
		require.Contains(t, string(text), part)
	}
	require.NotContains(t, string(text), "earlier")

	raw, err := os.ReadFile(data)
	require.NoError(t, err)
	var report struct {
		Setting Setting
		Rows    []Row
		Reach   []verdict
		Shares  []any
	}
	require.NoError(t, json.Unmarshal(raw, &report))
	require.True(t, report.Setting.Quick)
	require.Len(t, report.Rows, 3)
	for _, row := range report.Rows {
		for _, c := range row.Cells {
			require.Len(t, c.Values, quickRounds, "%s/%s", row.Name, c.Rival)
		}
	}
	require.NotEmpty(t, report.Reach)
	require.NotEmpty(t, report.Shares)
}
