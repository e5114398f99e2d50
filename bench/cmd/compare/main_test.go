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
		"no time":           {[]string{"-within", "-1s"}, "-within -1s: a positive duration is needed, or 0 for all rounds"},
		"no rounds":         {[]string{"-rounds", "0"}, "-rounds 0: at least one round is needed"},
		"no workers":        {[]string{"-workers", "-1"}, "-workers -1: at least one worker is needed"},
		"short shares":      {[]string{"-shares", "1ms"}, "-shares 1ms: below 50ms"},
		"no limit":          {[]string{"-limit", "0s"}, "-limit 0s: a positive duration is needed"},
		"broken expression": {[]string{"-only", "("}, `-only "(" is not a regular expression`},
		"no such row":       {[]string{"-only", "Batch257"}, `-only "Batch257" matches no row; -list names them`},
		"disturbance":       {[]string{"-disturbance", "101"}, "-disturbance 101: a part of the machine is between 0 and 100 percent"},
		"no patience":       {[]string{"-patience", "0"}, "-patience 0: at least one rejected round is needed"},
		"nothing to read":   {[]string{"-from", missing}, "-from: open " + missing},
		"no readme":         {[]string{"-readme", missing}, "-readme: open " + missing},
		"readme, no marks":  {[]string{"-readme", "main.go"}, "-readme main.go: the marks"},
		"not a report":      {[]string{"-from", "main.go"}, "-from: main.go is no report of this program"},
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
	for _, name := range []string{"Outside1", "Tree16", "MemoryInside", "Noise1000Same", "LatencyYieldP99", "Scale16", "Shares"} {
		require.Contains(t, stdout.String(), name)
	}
}

func TestAShortRunWritesBothReports(t *testing.T) {
	dir := t.TempDir()
	out, data := filepath.Join(dir, "report.md"), filepath.Join(dir, "report.json")
	require.NoError(t, os.WriteFile(out, []byte("an earlier, longer report"), 0o644))

	var stdout, stderr bytes.Buffer
	args := []string{"-short", "-only", "^(Batch256|BlockOff|DirectCall|Scale1|Scale2|Idle|Shares)$", "-shares", "50ms", "-out", out, "-json", data, "-plots", filepath.Join(dir, "plots")}
	require.Equal(t, 0, run(args, &stdout, &stderr), stderr.String())
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "round 1/1")

	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, part := range []string{"short run", "| IdleWakes |", "(plots/ratios.svg)", "(plots/workers.svg)", "| Batch256 |", "| BlockOff |", "### Shares", "### To reach", "not run", "ants/v2"} {
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
	require.True(t, report.Setting.Short)
	require.Len(t, report.Rows, 7)
	for _, row := range report.Rows {
		for _, c := range row.Cells {
			require.Len(t, c.Values, shortRounds, "%s/%s", row.Name, c.Rival)
		}
	}
	require.NotEmpty(t, report.Reach)
	require.NotEmpty(t, report.Shares)
	for _, name := range []string{"ratios.svg", "workers.svg"} {
		require.FileExists(t, filepath.Join(dir, "plots", name))
	}

	// The same report, made from the values alone.
	var again bytes.Buffer
	require.Equal(t, 0, run([]string{"-from", data, "-plots", filepath.Join(dir, "plots"), "-out", out + "2"}, &again, &stderr), stderr.String())
	repeated, err := os.ReadFile(out + "2")
	require.NoError(t, err)
	require.Equal(t, string(text), string(repeated))

	// A short run's figures are not for the README.
	readme := filepath.Join(dir, "README.md")
	require.NoError(t, os.WriteFile(readme, []byte(readmeBegin+readmeEnd), 0o644))
	require.Equal(t, 1, run([]string{"-from", data, "-readme", readme}, &again, &stderr))
	require.Contains(t, stderr.String(), "the figures of a short run mean nothing")
}
