// Package accept runs other people's packages on the pool: it rewrites their go statements, library and
// tests, and runs their own tests. They pass with goroutines, so they have to pass here.
package accept

import "time"

// Suite is a module whose tests are run.
type Suite struct {
	// Name is how reports call it.
	Name string
	// Module is its path. The version is that in go.mod.
	Module string
	// Quick says that it belongs to the short form.
	Quick bool
	// Slack is by how many percent the number of tasks may differ from the control's; 0 stands for 10.
	Slack int
	// Why says what it can show that others cannot.
	Why string
}

// Suites are tried in this order, the quick ones first.
var Suites = []Suite{
	{Name: "x/sync", Module: "golang.org/x/sync", Quick: true, Why: "many tasks parked on channels, a task whose only job is to crash the process"},
	// A pool of conc starts a worker only when none is idle at that moment, so the number depends on how
	// soon they come back: with goroutines alone it varies by 5 %.
	{Name: "conc", Module: "github.com/sourcegraph/conc", Quick: true, Slack: 20, Why: "long-lived workers that block while the submitter waits"},
	{Name: "run", Module: "github.com/oklog/run", Quick: true, Why: "actors that block until they are interrupted"},
	{Name: "cron", Module: "github.com/robfig/cron/v3", Why: "timers, a scheduler task that never ends, a module of an old language version"},
	{Name: "groupcache", Module: "github.com/golang/groupcache", Why: "mutexes and wait groups inside tasks, child processes"},
	{Name: "fastwalk", Module: "github.com/charlievieth/fastwalk", Why: "blocking calls of the file system"},
}

// Modes of a run.
const (
	Control  = "control"  // goroutines
	Locked   = "locked"   // workers with threads of their own
	Floating = "floating" // workers without
)

// MaxWorkers stands for the pool's default number of workers, GOMAXPROCS.
const MaxWorkers = 0

// Cell is one run of a suite's tests.
type Cell struct {
	Suite   Suite
	Mode    string
	Workers int
	Race    bool
	Round   int // from 1
	// Timeout is for each package of the suite. A test binary that takes longer has hung.
	Timeout time.Duration
}

// Matrix says which cells to run.
type Matrix struct {
	Modes   []string
	Workers []int
	// Rounds are runs without the race detector; RaceRounds are runs with it.
	Rounds, RaceRounds int
	Timeout            time.Duration
}

// Cells lists the cells of a suite, those of the control first.
func (m Matrix) Cells(s Suite) []Cell {
	var cells []Cell
	add := func(race bool, rounds int) {
		if rounds == 0 {
			return
		}
		cells = append(cells, Cell{Suite: s, Mode: Control, Race: race, Round: 1, Timeout: m.Timeout})
		for _, mode := range m.Modes {
			for _, workers := range m.Workers {
				for round := range rounds {
					cells = append(cells, Cell{s, mode, workers, race, round + 1, m.Timeout})
				}
			}
		}
	}
	add(false, m.Rounds)
	add(true, m.RaceRounds)
	return cells
}
