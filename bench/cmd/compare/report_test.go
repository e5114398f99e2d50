package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

func TestStatistics(t *testing.T) {
	require.Equal(t, 3.0, median([]float64{5, 1, 3}))
	require.Equal(t, 2.5, median([]float64{4, 1, 2, 3}))
	require.True(t, math.IsNaN(median(nil)))
	require.Equal(t, 0.0, spread([]float64{7, 7, 7}))
	require.Equal(t, 25.0, spread([]float64{0, 1.5, 2, 2.5, 4}), "quartiles 1.5 and 2.5 around a median of 2")
}

func TestRatiosAreTakenWithinARound(t *testing.T) {
	// The machine was four times slower in the second round. Both rivals suffered, and their ratio did not.
	a, b := &Cell{Values: []float64{10, 40, 11}}, &Cell{Values: []float64{20, 80, 22}}
	require.Equal(t, 0.5, ratio(a, b))
}

func TestNumbersAreReadable(t *testing.T) {
	for want, v := range map[string]float64{"1234": 1234.4, "45.7": 45.67, "1.23": 1.234, "0.05": 0.05, "—": math.NaN()} {
		require.Equal(t, want, number(v))
	}
	require.Equal(t, "1/8.0", times(0.125))
	require.Equal(t, "1.25×", times(1.25))
	require.Equal(t, "—", times(math.Inf(1)))
}

// made is a report with the given values for every round of some cells.
func made(values map[*workload.Workload]map[string]float64) *Report {
	r := &Report{}
	for w, cells := range values {
		row := &Row{Name: w.Name, Title: w.Title, Unit: w.Unit, workload: w}
		for _, e := range rival.All() {
			if v, ok := cells[e.Name]; ok {
				row.Cells = append(row.Cells, &Cell{Rival: e.Name, entry: e, Values: []float64{v, v}, Allocs: []float64{0, 0}})
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func TestWhatIsToBeReached(t *testing.T) {
	r := made(map[*workload.Workload]map[string]float64{
		workload.InsideDrain: {"go": 300, "lockstep": 50, "lockstep-queue": 65},
		workload.InsideOne:   {"go": 700, "lockstep": 110},
		workload.Outside1:    {"go": 600, "pond": 100, "gopool": 90, "lockstep": 50},
		workload.YieldLone:   {"lockstep": 20},
		workload.BlockOff:    {"lockstep": 15},
		workload.DirectCall:  {"lockstep": 2},
	})
	got := make(map[string]verdict)
	for _, v := range r.reach() {
		got[v.What] = v
	}
	for what, want := range map[string][2]string{
		"task spawned inside the pool and run, against a go statement + WaitGroup one by one": {"1/14.0", "met"},
		"the same, lockstep's tasks one by one too":                                           {"1/6.4", "no target"},
		"task from outside, one producer, against the fastest pool":                           {"0.56×", "**missed**"},
		"task from outside, one producer, against go":                                         {"1/12.0", "met"},
		"yield alone in the pool":                                                             {"20.0 ns", "met"},
		"BlockInPlace, flag off, over the direct call":                                        {"13.0 ns", "**missed**"},
		"declared task queue against the default one, inside":                                 {"1.30×", "**missed**"},
		"task tree, against the fastest pool":                                                 {"—", "not run"},
		"shares over real time, per worker":                                                   {"—", "not run"},
	} {
		v, ok := got[what]
		require.True(t, ok, what)
		require.Equal(t, want, [2]string{v.Measured, v.Result}, what)
	}
	require.Contains(t, got["task from outside, one producer, against the fastest pool"].From, "gopool")
}

func TestLossesStayInTheTable(t *testing.T) {
	r := made(map[*workload.Workload]map[string]float64{
		workload.Outside1: {"go": 600, "pond": 40, "lockstep": 60, "lockstep-queue": 30},
	})
	var text bytes.Buffer
	r.markdown(&text, options{})
	row := ""
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "| Outside1 | task") {
			row = line
		}
	}
	require.Contains(t, row, "**40.0** ±0 %", "the winner is bold, and a variant of lockstep's cannot be it")
	require.Contains(t, row, "1.50× pond")
	require.Contains(t, row, "1/10.0")
}

func TestSharesAreJudged(t *testing.T) {
	due := workload.SharesResult{Workers: 1, Due: 66.7, Got: 66, Tolerance: 2, Judged: 1, Worst: 68}
	require.True(t, due.Met())
	off := due
	off.Got = 60
	require.False(t, off.Met(), "the tasks' own count is off")
	off = due
	off.Worst = 70
	require.False(t, off.Met(), "a worker is off")
	off = due
	off.Workers, off.Judged = 4, 0
	require.False(t, off.Met(), "nothing was judged")

	r := &Report{Shares: []workload.SharesResult{due, off}}
	require.Equal(t, "**missed**", r.sharesVerdict().Result)
	r.Shares = r.Shares[:1]
	require.Equal(t, "met", r.sharesVerdict().Result)
}
