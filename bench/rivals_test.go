package bench

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

// TestMain ignores what runs before any test: importing ants starts two goroutines.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// testWorkers is more than one so that tasks meet on different workers.
const testWorkers = 2

func TestEveryRivalRunsEveryWorkloadExactly(t *testing.T) {
	for _, w := range workload.All() {
		for _, r := range rival.All() {
			if ok, _ := w.TakesPart(r); !ok {
				continue
			}
			t.Run(w.Name+"/"+r.Name, func(t *testing.T) {
				got, want, err := w.Check(r, testWorkers, min(w.Quick, 300))
				require.NoError(t, err)
				require.Equal(t, want, got, "operations that took place")
				goleak.VerifyNone(t, goleak.IgnoreCurrent())
			})
		}
	}
}

func TestEveryRivalMeasures(t *testing.T) {
	for _, w := range []*workload.Workload{workload.Batch256, workload.Memory} {
		for _, r := range rival.All() {
			if ok, _ := w.TakesPart(r); !ok {
				continue
			}
			s, err := w.Measure(r, testWorkers, w.Quick)
			require.NoError(t, err)
			require.Positive(t, s.Elapsed, "%s/%s", w.Name, r.Name)
		}
	}
}

func TestCapabilitiesAreThoseOfTheRunningPool(t *testing.T) {
	names := make(map[string]bool)
	for _, r := range rival.All() {
		require.False(t, names[r.Name], "%s is listed twice", r.Name)
		names[r.Name] = true
		require.NotEmpty(t, r.Note, r.Name)

		p, err := r.Start(rival.Config{Workers: 1})
		require.NoError(t, err)
		_, calls := p.(rival.Caller)
		p.Close()
		require.Equal(t, r.Calls, calls, r.Name)
	}
	for _, w := range workload.All() {
		for _, name := range w.Only {
			require.True(t, names[name], "%s asks for the unknown rival %s", w.Name, name)
		}
	}
}

// TestEveryWorkloadIsABenchmark reads the source, because a benchmark function cannot be found at run time and one
// that is missing would not be noticed.
func TestEveryWorkloadIsABenchmark(t *testing.T) {
	source, err := os.ReadFile("bench_test.go")
	require.NoError(t, err)
	for _, w := range workload.All() {
		require.Contains(t, string(source), "func Benchmark"+w.Name+"(b *testing.B)")
		require.Positive(t, w.Size, w.Name)
		require.Positive(t, w.Quick, w.Name)
	}
}
