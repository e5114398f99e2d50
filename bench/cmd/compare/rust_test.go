package main

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/bench/external"
	"github.com/lockstep-go/lockstep/bench/workload"
)

func TestRustStandsBesideLockstep(t *testing.T) {
	r := made(map[*workload.Workload]map[string]float64{workload.YieldLone: {"go": 50, "lockstep": 20}})
	for range 2 {
		r.take(external.Report{
			Remarks: []external.Remark{{Rival: "glommio", Note: "left out: no io_uring"}},
			Results: []external.Result{
				{Workload: "YieldLone", Title: "alone", Unit: "ns/yield", Rival: "tokio", Rounds: []float64{10}},
				{Workload: "YieldLone", Title: "alone", Unit: "ns/yield", Rival: "glommio"},
				{Workload: "Sharded", Title: "message", Unit: "ns/message", Rival: "tokio", Rounds: []float64{100}, Note: "by hand"},
			},
		})
	}
	var text bytes.Buffer
	r.markdown(&text, options{})
	for _, part := range []string{
		"| YieldLone | yield, alone in the pool | ns/yield | 50.0 ±0 % | 20.0 ±0 % | **10.0** ±0 % | 1/2.5 | 2.00× tokio |",
		"| Sharded | message | ns/message | 100 ±0 % |",
		"* `glommio`: left out: no io_uring.",
		"* `tokio`, by hand: Sharded.",
	} {
		require.Contains(t, text.String(), part)
	}
}

func TestRustIsMeasuredRoundByRound(t *testing.T) {
	var asked []external.Options
	d := quietDriver(t, "-rust", "-rounds", "2", "-only", "DirectCall", "-workers", "3")
	d.external = func(o external.Options) (external.Report, error) {
		o.Progress = nil
		asked = append(asked, o)
		return external.Report{Results: []external.Result{
			{Workload: "DirectCall", Unit: "ns/call", Rival: "tokio", Rounds: []float64{float64(len(asked))}},
		}}, nil
	}
	r, err := d.measure()
	require.NoError(t, err)
	require.Equal(t, []float64{1, 2}, r.Rows[0].cell("tokio").Values)
	require.Len(t, r.Rows[0].cell("lockstep").Values, 2, "the other program's cell was taken for one of ours")
	require.Equal(t, []external.Options{
		{Rounds: 1, Workers: 3, Only: "DirectCall", Short: true},
		{Rounds: 1, Workers: 3, Only: "DirectCall", Cold: true, Short: true},
	}, asked)
}

func TestWithoutCargoTheReportSaysSo(t *testing.T) {
	d := quietDriver(t, "-rust", "-rounds", "2", "-only", "DirectCall")
	calls := 0
	d.external = func(external.Options) (external.Report, error) {
		calls++
		return external.Report{}, external.ErrNoCargo
	}
	r, err := d.measure()
	require.NoError(t, err)
	require.Equal(t, 1, calls, "asked again although cargo does not come by itself")
	require.Contains(t, r.Setting.External[0].Note, "cargo is not installed")

	d.external = func(external.Options) (external.Report, error) { return external.Report{}, errors.New("it crashed") }
	d.rust = true
	_, err = d.measure()
	require.EqualError(t, err, "it crashed")
}
