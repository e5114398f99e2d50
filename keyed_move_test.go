package lockstep_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// shrink makes the pool's workers one, and waits until the pool has taken note.
func shrink(p *lockstep.Pool) {
	runtime.GOMAXPROCS(1)
	until(func() bool { p.Go(nothing); return lockstep.ActiveWorkers(p) == 1 })
}

// Whether operations of its keys run, wait, or neither when a worker becomes one too many, each key's go on in order, and
// the worker ends.
func TestKeysMoveFromAWorkerThatEnds(t *testing.T) {
	const keys = 100 // of which none of three workers has none, but once in 10^17 times
	for name, first := range map[string]func(gate *atomic.Bool){
		"at rest": func(*atomic.Bool) {},
		"running": func(gate *atomic.Bool) { until(gate.Load) },
		"waiting": func(gate *atomic.Bool) {
			for !gate.Load() {
				lockstep.Yield()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			withProcs(t, 3)
			p := newPool(t)
			k := keyed(p)
			var gate atomic.Bool
			var begun atomic.Int32
			var counts, wrong [keys]int
			var wg sync.WaitGroup
			send := func(key, n int, f func()) {
				wg.Add(1)
				k.Go(key, func() {
					defer wg.Done()
					if counts[key]++; counts[key] != n {
						wrong[key]++
					}
					f()
				})
			}
			for key := range keys {
				send(key, 1, func() { begun.Inc(); first(&gate) })
			}
			most := int32(keys)
			if name == "running" {
				most = 3 // one on each worker
			}
			until(func() bool { return begun.Load() == most })
			for key := range keys {
				send(key, 2, nothing)
			}
			shrink(p)
			for key := range keys {
				send(key, 3, nothing)
			}
			gate.Store(true)
			for key := range keys {
				send(key, 4, lockstep.Yield)
			}
			wg.Wait()
			require.Zero(t, wrong)
			for key := range keys {
				send(key, 5, nothing)
			}
			wg.Wait()
			require.Zero(t, wrong)
			until(func() bool { p.Go(nothing); return workerCount(p) == 1 })
		})
	}
}

// What a lane holds when a forced shutdown comes, and has not begun, is dropped by its driver.
func TestKeyedDropsWhatAForcedShutdownOvertakes(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(1), lockstep.WithLockOSThread(!floating), lockstep.WithCapacity(100))
	require.NoError(t, err)
	k := keyed(p)
	var held, gate atomic.Bool
	k.Go(1, func() { held.Store(true); until(gate.Load) })
	until(held.Load)
	var wg sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		wg.Go(func() { errs[i] = k.Do(bg, i, func(context.Context) error { t.Error("began"); return nil }) })
	}
	var each error
	wg.Go(func() {
		each = lockstep.ForN(p.Context(bg), 5, func(context.Context, int) error { t.Error("began"); return nil })
	})
	until(func() bool { return lockstep.KeyedPending(k) == 10 })
	done := make(chan struct{})
	go func() { defer close(done); force(t, p) }()
	until(func() bool { return lockstep.Killed(p) })
	gate.Store(true)
	<-done
	wg.Wait()
	for _, err := range errs {
		require.Equal(t, lockstep.ErrShutdown, err)
	}
	require.Contains(t, []error{lockstep.ErrShutdown, lockstep.ErrClosed}, each)
	require.Equal(t, lockstep.ErrClosed, k.Do(bg, 1, noError))
}

func TestKeysOfAllTypesAreDividedAmongWorkers(t *testing.T) {
	type pair struct{ a, b int }
	spread(t, func(i int) int { return i })
	spread(t, func(i int) int64 { return int64(i) << 40 })
	spread(t, func(i int) uint64 { return uint64(i) * 4096 })
	spread(t, func(i int) uint32 { return uint32(i) })
	spread(t, func(i int) string { return string(rune('a' + i%26)) })
	spread(t, func(i int) pair { return pair{i, -i} })
}

func spread[K comparable](t *testing.T, key func(int) K) {
	t.Helper()
	var counts [4]int
	for i := range 1000 {
		n := lockstep.ShardOf(key(i), len(counts))
		require.Equal(t, n, lockstep.ShardOf(key(i), len(counts)))
		counts[n]++
	}
	for _, n := range counts {
		require.Greater(t, n, 20, "%T: %v", key(0), counts)
	}
}
