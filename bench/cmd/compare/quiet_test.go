package main

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/bench/workload"
)

// quietDriver is a driver on a machine of which nothing is known, with tiny sizes.
func quietDriver(t *testing.T, args ...string) *driver {
	t.Helper()
	o, err := parse(append([]string{"-short"}, args...), io.Discard)
	require.NoError(t, err)
	d := newDriver(o, io.Discard)
	d.now = func() moment { return moment{} }
	d.sleep = func(time.Duration) {}
	return d
}

// machine makes moments a second apart, in each of which others have taken the next of the given parts of the machine.
func machine(percents ...float64) func() moment {
	at, whole := time.Unix(0, 0), float64(runtime.NumCPU())
	m := moment{at: at, known: true}
	begins := true
	return func() moment {
		if begins = !begins; begins {
			others := time.Duration(percents[0] / 100 * whole * float64(time.Second))
			percents = percents[1:]
			m.at = m.at.Add(time.Second)
			m.own += 300 * time.Millisecond
			m.machine += 300*time.Millisecond + others + coarse*time.Duration(runtime.NumCPU())
		}
		return m
	}
}

func TestDisturbedRoundsAreMeasuredAgain(t *testing.T) {
	d := quietDriver(t, "-only", "DirectCall", "-rounds", "2", "-disturbance", "10")
	d.now = machine(50, 11, 9, 0)
	var progress bytes.Buffer
	d.progress = &progress
	r, err := d.measure()
	require.NoError(t, err)
	require.Len(t, r.Rows[0].Cells[0].Values, 2, "the rejected rounds are not in the result")
	require.Equal(t, 2, r.Rows[0].Rejected)
	require.Equal(t, 2, r.Setting.Rejected)
	require.True(t, r.Setting.Judged)
	require.Contains(t, progress.String(), "rejected: others took 50 % of the machine during DirectCall (1 of 100)")
}

func TestABusyMachineIsGivenUp(t *testing.T) {
	d := quietDriver(t, "-only", "DirectCall|NeedYield", "-patience", "3", "-disturbance", "10")
	d.now = machine(0, 90, 90, 90)
	r, err := d.measure()
	require.ErrorIs(t, err, errGaveUp)
	require.True(t, r.Setting.GaveUp)
	require.Len(t, r.Rows, 1, "what was measured stays, what was not is no empty row")
	var text bytes.Buffer
	r.markdown(&text, options{})
	require.Contains(t, text.String(), "**Given up before the end")
}

func TestAnUnknownMachineIsNotJudged(t *testing.T) {
	d := quietDriver(t, "-only", "DirectCall", "-disturbance", "0")
	r, err := d.measure()
	require.NoError(t, err)
	require.False(t, r.Setting.Judged)
	r.Setting.Short = false
	require.Contains(t, r.Setting.quiet(), "this system does not tell")
}

func TestAFailureIsNoDisturbance(t *testing.T) {
	d := quietDriver(t, "-only", "DirectCall")
	failure := errors.New("it broke")
	rejected, err := d.undisturbed("a row", func() error { return failure })
	require.ErrorIs(t, err, failure)
	require.Zero(t, rejected)
}

func TestFurtherResultsAreRowsOfTheirOwn(t *testing.T) {
	d := quietDriver(t, "-only", "^Idle$")
	r, err := d.measure()
	require.NoError(t, err)
	require.Len(t, r.measured(), 1)
	require.Len(t, r.Rows, 1+len(workload.Idle.Also))
	for _, row := range r.Rows {
		for _, c := range row.Cells {
			require.Len(t, c.Values, 1, "%s/%s", row.Name, c.Rival)
		}
	}
}

func TestNoRoundBeginsThatWouldEndTooLate(t *testing.T) {
	for within, want := range map[string]int{"1s": 1, "15s": 1, "25s": 2, "35s": 3, "0": 4, "1h": 4} {
		d := quietDriver(t, "-only", "DirectCall", "-rounds", "4", "-disturbance", "100", "-within", within)
		at := time.Unix(0, 0)
		d.now = func() moment { at = at.Add(10 * time.Second / 3); return moment{at: at} } // three looks a round
		r, err := d.measure()
		require.NoError(t, err)
		require.Len(t, r.Rows[0].Cells[0].Values, want, within)
		require.Equal(t, want, r.Setting.Rounds, within)
	}
}
