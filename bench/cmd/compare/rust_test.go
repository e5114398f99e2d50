package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/bench/external"
	"github.com/lockstep-go/lockstep/bench/workload"
)

func TestRustStandsBesideLockstep(t *testing.T) {
	r := made(map[*workload.Workload]map[string]float64{workload.YieldLone: {"lockstep": 20}})
	r.Rust = &external.Report{
		Remarks: []external.Remark{{Rival: "glommio", Note: "left out: no io_uring"}},
		Results: []external.Result{
			{Workload: "YieldLone", Title: "alone", Unit: "ns/yield", Rival: "tokio", Rounds: []float64{30, 40, 50}},
			{Workload: "Sharded", Title: "message", Unit: "ns/message", Rival: "glommio", Rounds: []float64{100}},
			{Workload: "Sharded", Title: "message", Unit: "ns/message", Rival: "tokio"},
		},
	}
	var text bytes.Buffer
	r.rustTable(&text)
	for _, line := range []string{
		"| row | what | unit | lockstep | tokio | glommio |",
		"| YieldLone | alone | ns/yield | 20.0 | 40.0 | — |",
		"| Sharded | message | ns/message | — | — | 100 |",
		"* glommio: left out: no io_uring",
	} {
		require.Contains(t, text.String(), line)
	}
}
