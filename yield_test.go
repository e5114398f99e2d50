package lockstep_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestYieldAlternates(t *testing.T) {
	for _, locked := range []bool{true, false} {
		p := still(t, 1, lockstep.WithLockOSThread(locked))
		var got []int
		release := hold(p, 1)
		for i := range 3 {
			p.Go(func() {
				for range 4 {
					got = append(got, i)
					lockstep.Yield()
				}
			})
		}
		release()
		require.NoError(t, p.Close())
		require.Equal(t, []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, got)
	}
}

func TestYieldOutsideOfTasks(t *testing.T) {
	lockstep.Yield()
	lockstep.YieldIfNeeded()
	require.False(t, lockstep.NeedYield())
}

func TestYieldAloneReturnsAtOnce(t *testing.T) {
	p := still(t, 1)
	inTask(p, func(context.Context) {
		for range 10_000 {
			lockstep.Yield()
			lockstep.YieldIfNeeded()
		}
	})
	require.NoError(t, p.Close())
	s := p.Stats().Queues[0]
	require.Equal(t, uint64(10_000), s.YieldsAlone)
	require.Zero(t, s.YieldsVoluntary)
}

// A lone task that yields still lets in what comes from outside, and timers.
func TestD20YieldLetsTimersAndOutsideIn(t *testing.T) {
	for _, yielders := range []int{1, 50} {
		for _, yield := range []func(){lockstep.Yield, lockstep.YieldIfNeeded} {
			p := still(t, 1)
			var stop, woken atomic.Bool
			for range yielders {
				p.Go(func() {
					for !stop.Load() {
						yield()
					}
				})
			}
			p.Go(func() { _ = lockstep.Sleep(bg, time.Millisecond); woken.Store(true) })
			require.NoError(t, p.Run(bg, func(context.Context) error { return nil }))
			until(woken.Load)
			stop.Store(true)
			require.NoError(t, p.Close())
		}
	}
}

func TestD03LockHeldOverAYieldOnTwoQueues(t *testing.T) {
	p := still(t, 1, lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b"))
	held := false // a lock that its users try and yield for
	lock := func() {
		for held {
			lockstep.Yield()
		}
		held = true
	}
	n := 0
	for _, name := range []string{"a", "b"} {
		for range 20 {
			p.TaskQueue(name).Go(func() {
				for range 50 {
					lock()
					lockstep.Yield()
					n++
					held = false
					lockstep.Yield()
				}
			})
		}
	}
	require.NoError(t, p.Close())
	require.Equal(t, 2*20*50, n)
}

func TestNeedYieldSaysWhatYieldIfNeededDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := still(t, 1)
		inTask(p, func(context.Context) {
			require.False(t, lockstep.NeedYield())
			time.Sleep(10 * time.Millisecond) // the quantum is over, but nothing else is ready
			for range 100 {
				require.False(t, lockstep.NeedYield())
			}
			ran := false
			p.Go(func() { ran = true })
			time.Sleep(10 * time.Millisecond)
			calls := 0
			for ; !lockstep.NeedYield(); calls++ {
			}
			require.LessOrEqual(t, calls, 32, "the clock is read at least that often")
			require.False(t, ran)
			require.True(t, lockstep.NeedYield(), "until it is done")
			lockstep.YieldIfNeeded()
			require.True(t, ran)
			require.False(t, lockstep.NeedYield())
		})
	})
}

func TestLatencyQueueIsServedAtTheNextYieldIfNeeded(t *testing.T) {
	p := still(t, 1, lockstep.WithQuantum(time.Second), lockstep.WithTaskQueue("urgent", lockstep.WithLatency(100*time.Microsecond)))
	urgent := p.TaskQueue("urgent")
	require.NoError(t, p.TaskQueue("default").SetShares(1))
	inTask(p, func(context.Context) {
		for range 100 {
			ran := false
			urgent.Go(func() { ran = true })
			lockstep.YieldIfNeeded()
			require.True(t, ran)
		}
	})
	// From outside, the task is in a loop that calls YieldIfNeeded.
	var stop atomic.Bool
	p.Go(func() {
		for !stop.Load() {
			lockstep.YieldIfNeeded()
		}
	})
	for range 100 {
		require.NoError(t, urgent.Run(bg, func(context.Context) error { return nil }))
	}
	stop.Store(true)
	require.NoError(t, p.Close())
	require.GreaterOrEqual(t, p.Stats().Queues[0].YieldsForced, uint64(100))
}

// D21: two tasks that wake each other keep nobody from running.
func TestD21PingPongLetsOthersRun(t *testing.T) {
	for _, name := range []string{"default", "other"} {
		p := still(t, 1, lockstep.WithTaskQueue("other"))
		q := p.TaskQueue(name)
		hops, seen := 0, -1
		done := false
		var hop func()
		hop = func() { // each task spawns the next and ends
			hops++
			if !done {
				p.Go(hop)
			}
		}
		task := lockstep.Spawn(q.Context(bg), func(ctx context.Context) (int, error) {
			hops = 0
			g, ctx := lockstep.NewGroup(p.Context(ctx))
			for range 2 {
				g.Go(func() error { // a pair, by handles
					for !done && hops < 10_000 {
						hops++
						_, _ = lockstep.Spawn(ctx, func(context.Context) (int, error) { return 0, nil }).Wait(ctx)
					}
					return nil
				})
			}
			p.Go(hop)
			q.Go(func() { seen = hops; done = true })
			return 0, g.Wait()
		})
		_, err := task.Wait(bg)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		require.GreaterOrEqual(t, seen, 0)
		require.Less(t, seen, 1000, name)
	}
}
