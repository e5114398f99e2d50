package lockstep_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// Shutdown with a deadline ends at the deadline, and the time that running tasks get to notice. Another
// one after the task has ended says so.
func TestD10ShutdownEndsAtItsDeadline(t *testing.T) {
	for _, locked := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := workers(t, 2, lockstep.WithLockOSThread(locked))
			release := hold(p, 1)
			time.Sleep(time.Hour)
			from := time.Now()
			ctx, cancel := context.WithTimeout(bg, 100*time.Millisecond)
			defer cancel()
			err := p.Shutdown(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorContains(t, err, "gave up with 1 tasks left")
			require.Equal(t, 110*time.Millisecond, time.Since(from), "the deadline and 10 ms, as documented")
			require.Equal(t, lockstep.ErrClosed, p.Submit(bg, nothing))
			_, err = lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { return 0, nil }).Wait(bg)
			require.Equal(t, lockstep.ErrClosed, err)
			release()
			require.NoError(t, p.Shutdown(bg))
		})
	}
}

// A pool that gave up once, was told again by many at once and then closed agrees with all of them; a fresh pool with the same
// options works, and so does another that had sections of its own all the time.
func TestD13CloseAfterATimedOutShutdown(t *testing.T) {
	opts := []lockstep.Option{lockstep.WithWorkers(4), lockstep.WithOverflow(2), lockstep.WithBlockInPlace(true)}
	other := newPool(t, opts...)
	gate := make(chan struct{})
	blocked := lockstep.Spawn(other.Context(bg), func(context.Context) (int, error) {
		return lockstep.BlockInPlaceValue(func() (int, error) { <-gate; return 7, nil })
	})
	for range 20 {
		p := newPool(t, opts...)
		release := hold(p, 1)
		for range 10 {
			p.Go(func() { lockstep.BlockInPlace(nothing) })
		}
		require.Error(t, p.Shutdown(endedContext()))
		var again sync.WaitGroup
		var failed atomic.Int32
		for range 8 {
			again.Go(func() {
				if p.Shutdown(endedContext()) != nil {
					failed.Inc()
				}
			})
		}
		again.Wait()
		require.Equal(t, int32(8), failed.Load(), "the task is still there")
		release()
		for range 8 {
			again.Go(func() {
				if p.Close() == nil {
					failed.Dec()
				}
			})
		}
		again.Wait()
		require.Zero(t, failed.Load())
		require.NoError(t, p.Shutdown(endedContext()), "it is closed by now")
		meetInSections(t, newPool(t, opts...), 2)
	}
	meetInSections(t, other, 1) // the second place of its own overflow pool
	close(gate)
	v, err := blocked.Wait(bg)
	require.NoError(t, err)
	require.Equal(t, 7, v)
}

// The deferred calls of tasks that a shutdown finds suspended run on the thread that the tasks ran on.
func TestD15DeferredCallsKeepTheirThread(t *testing.T) {
	if floating {
		t.Skip("floating workers have no threads of their own")
	}
	onThread(t)
	p := workers(t, 1)
	var began, here, elsewhere atomic.Int32
	var nest func(id, depth int)
	nest = func(id, depth int) {
		defer func() {
			if gettid() == id {
				here.Inc()
			} else {
				elsewhere.Inc()
			}
		}()
		if depth > 0 {
			nest(id, depth-1)
			return
		}
		began.Inc()
		for {
			lockstep.Yield() // and ignores that it does not return
		}
	}
	const tasks = 20
	for range tasks {
		p.Go(func() { nest(gettid(), 3) })
	}
	until(func() bool { return began.Load() == tasks })
	force(t, p)
	require.Equal(t, [2]int32{4 * tasks, 0}, [2]int32{here.Load(), elsewhere.Load()})
}
