package lincheck_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"github.com/lockstep-go/lockstep/tasksync"
)

// The same script gives the same holders at each step, whichever of the two semaphores it drives: who is served first, what
// a big request holds up, and whom the end of a context lets pass. Requests of 0 are left out: x/sync leaves one that waits behind a request
// whose context has ended until something is released, ours lets it pass.
func TestSemaphoreIsThatOfXSync(t *testing.T) {
	for range 300 {
		seed := rand.Uint64()
		ours := drive(t, seed, tasksync.NewSemaphore(5))
		theirs := drive(t, seed, semaphore.NewWeighted(5))
		require.Equal(t, theirs, ours, "seed %d", seed)
	}
}

// drive runs a script that depends on the seed, and on what has been granted, and returns who holds what after each step.
func drive(t *testing.T, seed uint64, s weighted) (log [][]int64) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0))
		type ask struct {
			n       int64
			cancel  context.CancelFunc
			holds   bool
			settled bool
		}
		var asks []*ask
		results := make(chan func(), 100)
		for range 40 {
			switch r.IntN(5) {
			case 0, 1:
				ctx, cancel := context.WithCancel(bg)
				a := &ask{n: 1 + r.Int64N(5), cancel: cancel}
				asks = append(asks, a)
				go func() {
					err := s.Acquire(ctx, a.n)
					results <- func() { a.holds, a.settled = err == nil, true }
				}()
			case 2:
				a := &ask{n: 1 + r.Int64N(5), cancel: func() {}, settled: true}
				a.holds = s.TryAcquire(a.n)
				asks = append(asks, a)
			case 3:
				if a := pick(r, asks, func(a *ask) bool { return a.holds }); a != nil {
					a.holds = false
					s.Release(a.n)
				}
			case 4:
				if a := pick(r, asks, func(a *ask) bool { return !a.settled }); a != nil {
					a.cancel()
				}
			}
			synctest.Wait()
			for len(results) > 0 {
				(<-results)()
			}
			line := []int64{}
			for _, a := range asks {
				if a.holds {
					line = append(line, a.n)
				}
			}
			log = append(log, line)
		}
		for _, a := range asks {
			a.cancel()
		}
		synctest.Wait()
	})
	return log
}

// pick returns one that fits, or nil.
func pick[T any](r *rand.Rand, from []*T, fits func(*T) bool) *T {
	var some []*T
	for _, v := range from {
		if fits(v) {
			some = append(some, v)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return some[r.IntN(len(some))]
}
