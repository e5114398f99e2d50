package lockstep_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// What waits behind tasks that block natively does not wait for them, also if they block for less than the stall threshold.
// A bubble's clock does not wait until a real thread is seen to sleep, or until no goroutine of the process waits for a P, so
// one of many tries has to show it.
func TestTasksBehindBlockedOnesBeginSoon(t *testing.T) {
	for _, locked := range []bool{true, false} {
		const chain, block = 5, 9 * time.Millisecond
		soonest := time.Hour
		for try := 0; try < 100 && soonest > 2*block; try++ {
			synctest.Test(t, func(t *testing.T) {
				p := workers(t, 1, lockstep.WithLockOSThread(locked))
				time.Sleep(time.Minute) // the monitor sleeps
				began := time.Now()
				var last atomic.Duration
				for range chain {
					p.Go(func() { last.Store(time.Since(began)); time.Sleep(block) })
				}
				require.NoError(t, p.Close())
				soonest = min(soonest, last.Load())
			})
		}
		t.Logf("locked %v: the last of %d began after %v", locked, chain, soonest)
		require.LessOrEqual(t, soonest, 2*block, "they ran one after the other")
	}
}

// While all workers that are awake have been held for long, the monitor looks once a second. One that begins to work then must
// not be overlooked until the next time.
func TestTaskBehindOneThatBlocksAfterALongStallBeginsSoon(t *testing.T) {
	for _, locked := range []bool{true, false} {
		soonest := time.Hour
		for try := 0; try < 100 && soonest > 20*time.Millisecond; try++ {
			synctest.Test(t, func(t *testing.T) {
				p := workers(t, 2, lockstep.WithLockOSThread(locked))
				release := hold(p, 1)
				time.Sleep(2*time.Second + 100*time.Millisecond) // between two looks
				behind := make(chan struct{})
				began := time.Now()
				p.Go(func() {
					p.Go(func() { close(behind) })
					<-behind
				})
				<-behind
				soonest = min(soonest, time.Since(began))
				release()
				require.NoError(t, p.Close())
			})
		}
		t.Logf("locked %v: it began after %v", locked, soonest)
		require.LessOrEqual(t, soonest, 20*time.Millisecond)
	}
}

// Floating workers that outnumber the Ps wait for one most of the time. That is no stall, and must not call for helpers, who
// would wait too.
func TestYieldersOnMoreWorkersThanPsCallNoStormOfHelpers(t *testing.T) {
	for _, locked := range []bool{true, false} {
		n := 2 * runtime.GOMAXPROCS(0)
		p := workers(t, n, lockstep.WithLockOSThread(locked))
		var stop atomic.Bool
		turns := make([]atomic.Int64, 16*n)
		for i := range turns {
			p.Go(func() {
				for !stop.Load() {
					turns[i].Inc()
					lockstep.Yield()
				}
			})
		}
		most := 0
		for round := range int64(300) {
			for i := range turns {
				until(func() bool { return turns[i].Load() > round })
			}
			most = max(most, p.Stats().Rescue.Helpers)
		}
		stop.Store(true)
		require.NoError(t, p.Close())
		t.Logf("locked %v: at most %d helpers, %+v", locked, most, p.Stats().Rescue)
		require.LessOrEqual(t, most, n)
	}
}
