package lockstep_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// waitsFor are the native ways in which tasks wait for a later one: wait is what they do, and release ends all the
// waits, also those that have not begun.
var waitsFor = map[string]func() (wait, release func()){
	"channel": func() (wait, release func()) {
		done := make(chan struct{})
		return func() { <-done }, func() { close(done) }
	},
	"Mutex": func() (wait, release func()) {
		var mu sync.Mutex
		mu.Lock()
		return func() { mu.Lock(); defer mu.Unlock() }, mu.Unlock
	},
	"Cond": func() (wait, release func()) {
		var mu sync.Mutex
		c, done := sync.NewCond(&mu), false
		wait = func() {
			mu.Lock()
			defer mu.Unlock()
			for !done {
				c.Wait()
			}
		}
		return wait, func() {
			mu.Lock()
			defer mu.Unlock()
			done = true
			c.Broadcast()
		}
	},
	"WaitGroup": func() (wait, release func()) {
		var wg sync.WaitGroup
		wg.Add(1)
		return wg.Wait, wg.Done
	},
}

// Eight tasks that wait natively hold every worker; the ninth, which would let them go on, gets a helper.
func TestD02EveryNativeWaitIsRescued(t *testing.T) {
	for name, form := range waitsFor {
		for _, n := range []int{1, 2} {
			for _, locked := range []bool{true, false} {
				t.Run(fmt.Sprint(name, " ", n, " workers, locked ", locked), func(t *testing.T) {
					p := workers(t, n, lockstep.WithStallThreshold(time.Millisecond), lockstep.WithLockOSThread(locked))
					wait, release := form()
					var ended atomic.Int32
					for range 8 {
						p.Go(func() { wait(); ended.Inc() })
					}
					p.Go(func() { release(); ended.Inc() })
					require.NoError(t, p.Close())
					require.Equal(t, int32(9), ended.Load())
				})
			}
		}
	}
}

// The same with tasks that look again and again, and sleep in between.
func TestD02SleepersThatPoll(t *testing.T) {
	for _, n := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			p := workers(t, n)
			var done atomic.Bool
			var ended atomic.Int32
			for range 8 {
				p.Go(func() {
					for !done.Load() {
						time.Sleep(20 * time.Millisecond)
					}
					ended.Inc()
				})
			}
			p.Go(func() { done.Store(true); ended.Inc() })
			require.NoError(t, p.Close())
			require.Equal(t, int32(9), ended.Load())
		})
	}
}

// With the flag, eight places are enough for the eight, and no helper is needed.
func TestD02SectionsNeedNoHelper(t *testing.T) {
	for name, form := range waitsFor {
		t.Run(name, func(t *testing.T) {
			p := still(t, 2, lockstep.WithOverflow(8), lockstep.WithBlockInPlace(true))
			wait, release := form()
			var ended atomic.Int32
			for range 8 {
				p.Go(func() { lockstep.BlockInPlace(wait); ended.Inc() })
			}
			p.Go(func() { release(); ended.Inc() })
			require.NoError(t, p.Close())
			require.Equal(t, int32(9), ended.Load())
		})
	}
}

// Without helpers the plain form hangs, but not in silence: the tasks are reported, by the place that spawned them and with
// the stack that tells where they wait, and the pool says what is missing.
func TestD02HangWithoutHelpersIsReported(t *testing.T) {
	for _, locked := range []bool{true, false} {
		seen, log := make(reports, 10), new(logged)
		p := still(t, 2, lockstep.WithStallThreshold(time.Millisecond), seen.handler(), log.option(), lockstep.WithLockOSThread(locked))
		gate, ninth := make(chan struct{}), false
		for range 8 {
			p.Go(func() { waitsForTheNinth(gate) })
		}
		p.Go(func() { ninth = true })
		r := seen.with("lockstep_test.waitsForTheNinth")
		require.Equal(t, "default", r.Queue)
		require.Contains(t, r.Site, "fault_d02_test.go:")
		require.False(t, r.Busy)
		until(func() bool { return p.Stats().Rescue.Denied > 0 && log.contains("no helper is left") })
		require.Equal(t, uint64(2), p.Stats().Queues[0].Started, "two workers are held, and the others wait")
		require.False(t, ninth)
		close(gate)
		require.NoError(t, p.Close())
		require.True(t, ninth, "nothing is lost")
	}
}

//go:noinline
func waitsForTheNinth(gate chan struct{}) { <-gate }
