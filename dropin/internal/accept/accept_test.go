package accept_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/dropin/internal/accept"
)

func TestCells(t *testing.T) {
	m := accept.Matrix{Modes: []string{accept.Locked, accept.Floating}, Workers: []int{1, accept.MaxWorkers}, Rounds: 2, RaceRounds: 1}
	var names []string
	for _, c := range m.Cells(accept.Suite{Name: "s"}) {
		names = append(names, c.String())
	}
	require.Equal(t, []string{
		"s control",
		"s locked workers=1", "s locked workers=1", "s locked workers=max", "s locked workers=max",
		"s floating workers=1", "s floating workers=1", "s floating workers=max", "s floating workers=max",
		"s control race", "s locked workers=1 race", "s locked workers=max race", "s floating workers=1 race", "s floating workers=max race",
	}, names)
}

func TestAgain(t *testing.T) {
	s := accept.Suite{Name: "x/sync"}
	require.Equal(t, "-packages '^x/sync$' -modes locked -workers max -rounds 1 -race-rounds 0",
		accept.Cell{Suite: s, Mode: accept.Locked}.Again())
	require.Equal(t, "-packages '^x/sync$' -rounds 0 -race-rounds 1",
		accept.Cell{Suite: s, Mode: accept.Control, Race: true}.Again())
}

// TestCompare holds what a run may differ in from its control.
func TestCompare(t *testing.T) {
	control := accept.Outcome{Calls: 100, Passed: 5, Skipped: 1}
	for _, c := range []struct {
		o    accept.Outcome
		want string
	}{
		{accept.Outcome{Calls: 90, Passed: 5, Skipped: 1}, ""},
		{accept.Outcome{Calls: 110, Passed: 5, Skipped: 1}, ""},
		{accept.Outcome{Calls: 89, Passed: 5, Skipped: 1}, "89 tasks were started, with goroutines 100"},
		{accept.Outcome{Cell: accept.Cell{Suite: accept.Suite{Slack: 20}}, Calls: 80, Passed: 5, Skipped: 1}, ""},
		{accept.Outcome{Passed: 5, Skipped: 1}, "0 tasks were started, with goroutines 100"},
		{accept.Outcome{Calls: 100, Passed: 4, Skipped: 2}, "4 tests passed and 2 were skipped, with goroutines 5 and 1"},
		{accept.Outcome{Problem: "before"}, "before"},
	} {
		c.o.Compare(control)
		require.Equal(t, c.want, c.o.Problem)
	}
}

func TestTable(t *testing.T) {
	s, u := accept.Suite{Name: "s"}, accept.Suite{Name: "u"}
	require.Equal(t, `|  | s | u |
|---|---|---|
| tests | 5 | 6 |
| tasks | 7 | 8 |
| plain goroutines | 1/1, 0.0 s | 1/1, 0.0 s |
| locked, 2 | **1/2, 3.0 s** |  |
| floating, max, -race | 1/1, 1.0 s |  |
`, accept.Table([]accept.Outcome{
		{Cell: accept.Cell{Suite: s, Mode: accept.Control}, Passed: 5, Calls: 7},
		{Cell: accept.Cell{Suite: s, Mode: accept.Locked, Workers: 2}, Took: 3 * time.Second},
		{Cell: accept.Cell{Suite: s, Mode: accept.Locked, Workers: 2}, Took: time.Second, Problem: "x"},
		{Cell: accept.Cell{Suite: s, Mode: accept.Floating, Race: true}, Took: time.Second},
		{Cell: accept.Cell{Suite: u, Mode: accept.Control}, Passed: 6, Calls: 8},
	}))
}

var fault = flag.String("fault", "", "be the test binary that shows a fault")

// TestFault is not a test: as a child process it is a suite that fails in one way.
func TestFault(t *testing.T) {
	switch *fault {
	case "":
		t.Skip("for TestProblems")
	case "hang":
		select {}
	case "fail":
		t.Fatal("as asked")
	case "panic":
		panic("as asked")
	}
}

// TestProblems runs binaries that hang, fail and crash, since a check that cannot fail proves nothing.
func TestProblems(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for what, want := range map[string]string{
		"hang":  "it hangs",
		"fail":  "--- FAIL: TestFault",
		"panic": "; --- FAIL: TestFault; panic: as asked",
		"none":  "",
	} {
		t.Run(what, func(t *testing.T) {
			b := accept.NewBinaries(t.TempDir(), self, "-fault="+what, "-test.run=^TestFault$")
			o := b.Run(t.Context(), accept.Cell{Mode: accept.Control, Timeout: 2 * time.Second})
			if want == "" {
				require.Empty(t, o.Problem)
				require.Equal(t, 1, o.Passed)
				return
			}
			require.Contains(t, o.Problem, want)
			log, err := os.ReadFile(o.Log)
			require.NoError(t, err)
			if what == "hang" {
				require.Contains(t, string(log), "accept_test.TestFault")
			}
		})
	}
}

func TestWorkshop(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	_, err := accept.NewWorkshop(dir)
	require.ErrorContains(t, err, "run this inside the folder")
	require.False(t, errors.Is(err, os.ErrNotExist))
}

// TestSuites keeps the list in step with the requirements, which pin the versions.
func TestSuites(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	for _, s := range accept.Suites {
		require.True(t, strings.Contains(string(text), "\t"+s.Module+" v"), "%s is not in go.mod", s.Module)
	}
}
