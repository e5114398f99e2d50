//go:build !race

package lockstep_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Every task that is accepted runs exactly once, with its children, before Close returns, and none that is refused.
func TestStepCloseLosesNoTask(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		accepted, ran := 0, 0
		task := func() {
			ran++
			lockstep.Yield()
			accepted++ // a child of a task is accepted also while the pool closes
			p.Go(func() { ran++ })
		}
		spawn := func() {
			for range 2 {
				if p.TryGo(task) {
					accepted++
				}
			}
		}
		inAnyOrder(spawn, spawn, func() { require.NoError(t, p.Close()) })
		require.NoError(t, p.Close())
		require.Equal(t, accepted, ran)
		require.False(t, p.TryGo(task))
	})
}

// Every task that is accepted runs or is cancelled in a forced shutdown, exactly once, and its deferred calls run.
func TestStepForcedShutdownLosesNoTask(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var mu tasksync.Mutex
		c := chans.New[int](0)
		mu.Lock()
		waits := []func(){
			mu.Lock,
			func() { c.Get() },
			func() { _ = lockstep.Sleep(bg, time.Hour); lockstep.Yield() },
			func() {
				for {
					lockstep.Yield()
				}
			},
		}
		accepted, began, ended, after := 0, 0, 0, 0
		spawn := func() {
			for _, wait := range waits {
				if p.TryGo(func() {
					began++
					defer func() { ended++ }()
					wait()
					after++
				}) {
					accepted++
				}
			}
		}
		inAnyOrder(spawn, func() { require.NoError(t, p.Shutdown(endedContext())) })
		require.NoError(t, p.Close())
		require.Equal(t, began, ended)
		require.Zero(t, after)
		n := p.Stats().Queues[0]
		require.EqualValues(t, accepted, uint64(began)+n.Cancelled)
	}, steptest.EarlyTimers(false))
}

// Once a forced shutdown has been noted, no wait takes time: neither one that is under way nor one that begins.
func TestStepForcedShutdownEndsWaitsAtOnce(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var mu tasksync.Mutex
		mu.Lock()
		other, stop := context.WithCancel(bg)
		defer stop()
		waits := 0
		p.Go(func() {
			for range 3 {
				t.Point("between two waits")
				require.ErrorIs(t, mu.LockContext(other), lockstep.ErrShutdown)
				waits++
			}
		})
		began := t.Now()
		require.NoError(t, p.Shutdown(endedContext()))
		require.Equal(t, began, t.Now())
		require.LessOrEqual(t, waits, 1)
	}, steptest.EarlyTimers(false))
}

// What a task waits for in its deferred calls, when a forced shutdown has ended it, ends with the time of grace.
func TestStepForcedShutdownEndsDeferredWaits(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var mu tasksync.Mutex
		mu.Lock()
		began, ended := false, 0
		p.Go(func() {
			defer func() { ended++ }()
			defer mu.Lock()
			began = true
			mu.Lock()
		})
		for !began {
			lockstep.Yield()
		}
		require.NoError(t, p.Shutdown(endedContext()))
		require.Equal(t, 1, ended)
	}, steptest.EarlyTimers(false))
}

// No more tasks than the capacity are accepted and not begun; who waits for room gets it in turn, or gives up, or learns of the close.
func TestStepCapacityBounds(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithCapacity(1))
		ctx, cancel := context.WithCancel(bg)
		accepted, ran := 0, 0
		queued := 0
		task := func() { queued--; ran++; t.Point("working") }
		submit := func(ctx context.Context) func() {
			return func() {
				for range 2 {
					switch err := p.Submit(ctx, task); err {
					case nil:
						accepted++
						queued++
					case lockstep.ErrClosed:
					default:
						require.ErrorIs(t, err, context.Canceled)
					}
				}
			}
		}
		try := func() {
			if p.TryGo(task) {
				accepted++
				queued++
			}
		}
		inAnyOrder(submit(bg), submit(ctx), func() { try(); submit(bg)(); try() }, []func(){cancel, func() { require.NoError(t, p.Close()) }}[t.Choose(2)])
		require.NoError(t, p.Close())
		require.Equal(t, accepted, ran)
		require.Zero(t, queued)
	})
}

// Room that is free is room for somebody: nobody waits for it when all tasks have begun, and never more than the capacity are queued.
func TestStepCapacityIsGivenBack(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithCapacity(2), lockstep.WithWorkers(1))
		ctx, cancel := context.WithCancel(bg)
		ran := 0
		give := func() { _ = p.Submit(ctx, func() { ran++ }) }
		inAnyOrder(give, give, give, cancel, func() { require.NoError(t, p.Submit(bg, func() { ran++ })) })
		for p.Stats().Queues[0].Queued > 0 {
			lockstep.Yield()
		}
		require.NoError(t, p.Submit(bg, func() { ran++ })) // there is room again
		require.NoError(t, p.Close())
	}, steptest.Workers(1))
}

// With room for one section they run one after the other, each once; one that is cancelled while it waits is not called, and says so.
func TestStepOverflowIsFull(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithOverflow(1), lockstep.WithBlockInPlace(true))
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		inside, called, cancelled := 0, 0, 0
		section := func() {
			inside++
			require.Equal(t, 1, inside)
			t.Point("inside")
			inside--
			called++
		}
		var tasks tasksync.WaitGroup
		for i := range 4 {
			tasks.Add(1)
			p.Go(func() {
				defer tasks.Done()
				switch i {
				case 0, 1:
					lockstep.BlockInPlace(section)
				case 2:
					if err := lockstep.BlockInPlaceContext(ctx, section); err != nil {
						require.ErrorIs(t, err, context.Canceled)
						cancelled++
					}
				case 3:
					cancel()
				}
			})
		}
		tasks.Wait()
		require.Equal(t, 3, called+cancelled)
		require.NoError(t, p.Close())
		for p.Stats().Overflow.Running > 0 {
			lockstep.Yield()
		}
		n := p.Stats().Overflow
		require.EqualValues(t, 0, n.Queued)
		require.LessOrEqual(t, n.Cancelled, uint64(cancelled)) // one whose context had ended before was none
	})
}

// A panic or a Goexit of a section comes to its task, and the next section gets the place.
func TestStepOverflowAfterAPanic(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithOverflow(1), lockstep.WithBlockInPlace(true))
		called := 0
		var tasks tasksync.WaitGroup
		for i := range 3 {
			tasks.Add(1)
			p.Go(func() {
				defer tasks.Done()
				defer func() { _ = recover() }()
				lockstep.BlockInPlace(func() {
					called++
					t.Point("inside")
					if i < 2 {
						panic("boom")
					}
				})
			})
		}
		tasks.Wait()
		require.Equal(t, 3, called)
		require.NoError(t, p.Close())
	})
}

// The operations of a key run in the order of their calls and one at a time; those of others do not wait for them.
func TestStepKeyedOrder(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		k := lockstep.NewKeyed[int](p.TaskQueue("default"))
		last, busy, ran := [2]int{}, [2]bool{}, 0
		add := func(key int) func() {
			return func() {
				for n := 1; n <= 3; n++ {
					k.Go(key, func() {
						require.False(t, busy[key])
						busy[key] = true
						require.Equal(t, last[key]+1, n)
						last[key] = n
						lockstep.Yield()
						busy[key] = false
						ran++
					})
				}
			}
		}
		inAnyOrder(add(0), add(1))
		require.NoError(t, p.Close())
		require.Equal(t, 6, ran)
	})
}

// A timer that Stop has stopped does not fire, and one that it has not does, once for each time that it was set.
func TestStepTimerStopMeetsFire(t *testing.T) {
	steps(t, func(t *steptest.T) {
		fired := 0
		x := lockstep.AfterFunc(time.Second, func() { fired++ })
		stopped := 0
		inAnyOrder(func() { require.NoError(t, lockstep.Sleep(bg, time.Second)) }, func() {
			if t.Choose(2) == 0 {
				require.NoError(t, lockstep.Sleep(bg, time.Second))
			}
			if x.Stop() {
				stopped++
			}
			if t.Choose(2) == 0 {
				if x.Reset(time.Second) {
					require.Fail(t, "it was stopped")
				}
				stopped--
			}
		})
		require.NoError(t, lockstep.Sleep(bg, 10*time.Second))
		for range 20 {
			lockstep.Yield()
		}
		require.Equal(t, 1-stopped, fired)
	})
}
