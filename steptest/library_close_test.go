package steptest_test

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

// Close waits for every accepted task and those that they spawn; nothing is accepted after it.
func TestStepClose(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		done := 0
		for range 2 {
			p.Go(func() {
				t.Point("parent")
				p.Go(func() { lockstep.Yield(); done++ })
				done++
			})
		}
		require.NoError(t, p.Close())
		require.Equal(t, 4, done)
		require.False(t, p.TryGo(func() {}))
		require.ErrorIs(t, p.Submit(t.Context(), func() {}), lockstep.ErrClosed)
		require.Panics(t, func() { p.Go(func() {}) })
		require.NoError(t, p.Close())
	})
}

func TestStepCloseByTwo(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p, q := t.Pool(), t.Pool(lockstep.WithWorkers(1))
		done := false
		p.Go(func() { lockstep.Yield(); done = true })
		var wg tasksync.WaitGroup
		for range 2 {
			wg.Add(1)
			q.Go(func() {
				defer wg.Done()
				require.NoError(t, p.Close())
				require.True(t, done)
			})
		}
		wg.Wait()
		require.PanicsWithValue(t, "lockstep: Close or Shutdown from a task of the pool, which would wait for itself; call it from a goroutine", func() {
			_ = q.Run(t.Context(), func(context.Context) error { return q.Close() })
		})
	})
}

// A task is accepted before Close or not at all, and then TryGo says so.
func TestStepCloseMeetsSpawn(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		accepted, ran := 0, 0
		g := lockstep.Group{}
		g.Go(func() error {
			for range 3 {
				if p.TryGo(func() { ran++ }) {
					accepted++
				}
			}
			return nil
		})
		g.Go(p.Close)
		require.NoError(t, g.Wait())
		require.Equal(t, accepted, ran)
	})
}

// A forced shutdown ends each wait, runs deferred calls, and leaves what has not begun.
func TestStepForcedShutdown(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		c, full := chans.New[int](0), chans.New[int](1)
		require.NoError(t, full.Put(0))
		var mu tasksync.Mutex
		mu.Lock()
		begun, deferred, after := 0, 0, 0
		task := func(wait func() error, errs bool) {
			p.Go(func() {
				begun++
				defer func() { deferred++ }()
				err := wait()
				require.True(t, errs, "without an error to return the wait ends the task")
				require.ErrorIs(t, err, lockstep.ErrShutdown)
				lockstep.Yield() // the next one ends it
				after++
			})
		}
		task(func() error { _, err := c.Receive(context.Background()); return err }, true)
		task(func() error { mu.Lock(); return nil }, false)
		task(func() error { return full.Send(context.Background(), 1) }, true)
		task(func() error {
			for {
				lockstep.Yield()
			}
		}, false)
		if t.Choose(2) == 1 {
			lockstep.Yield()
		}
		require.NoError(t, p.Shutdown(ctx))
		require.Equal(t, begun, deferred)
		require.Zero(t, after)
		mu.Unlock()
	})
}

// The time of a Shutdown is the schedule's.
func TestStepShutdownAfterTime(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		var cause error
		h := lockstep.Spawn(p.Context(context.Background()), func(ctx context.Context) (int, error) {
			defer func() { cause = context.Cause(ctx) }()
			return 0, lockstep.Sleep(ctx, time.Hour)
		})
		began := t.Now()
		ctx, cancel := lockstep.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, p.Shutdown(ctx))
		require.Equal(t, time.Minute, t.Now().Sub(began))
		_, err := h.Wait(t.Context())
		require.ErrorIs(t, err, lockstep.ErrShutdown)
		require.ErrorIs(t, cause, lockstep.ErrShutdown)
	}, steptest.EarlyTimers(false))
}

// After a forced shutdown nothing goes on ticking: who waits for ever is found.
func TestStepDeadlockAfterForcedShutdown(t *testing.T) {
	r := outcome("TestX", func(t *steptest.T) {
		p := t.Pool()
		p.Go(func() { _ = lockstep.Sleep(context.Background(), time.Hour) })
		lockstep.Yield()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.NoError(t, p.Shutdown(ctx))
		chans.New[int](0).Get()
	}, steptest.Schedules(20))
	require.Contains(t, r.text, "steptest: deadlock")
}

func TestStepCloseInASection(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		q := t.Pool(lockstep.WithBlockInPlace(true))
		done := false
		p.Go(func() { lockstep.Yield(); done = true })
		require.NoError(t, q.Run(t.Context(), func(context.Context) error {
			lockstep.BlockInPlace(func() { require.NoError(t, p.Close()) })
			require.True(t, done)
			lockstep.BlockInPlace(func() { require.Panics(t, func() { _ = q.Close() }) })
			return nil
		}))
	})
}

// What cannot be ended is named.
func TestStepShutdownGivesUp(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithBlockInPlace(true))
		var mu tasksync.Mutex
		mu.Lock()
		p.Go(func() { lockstep.BlockInPlace(mu.Lock) })
		for p.Stats().Queues[0].SectionsMoved == 0 {
			lockstep.Yield()
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorContains(t, p.Shutdown(ctx), "library_close_test.go")
		mu.Unlock()
		require.NoError(t, p.Close())
	})
}
