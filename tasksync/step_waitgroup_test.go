package tasksync_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Wait returns when all is done and not before, and everybody's does.
func TestStepWaitGroupWaits(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var g tasksync.WaitGroup
		g.Add(2)
		done := 0
		part := func() { t.Point("working"); done++; g.Done() }
		wait := func() { g.Wait(); require.Equal(t, 2, done) }
		waitContext := func() { require.NoError(t, g.WaitContext(bg)); require.Equal(t, 2, done) }
		all(part, wait, waitContext, wait, part)
		require.Zero(t, tasksync.Listed(&g))
		g.Add(1) // it may be used again
		all(g.Done, g.Wait)
	})
}

// Waits that have been given up keep nobody from using the group again, and those of the next round are woken by its end.
func TestStepWaitGroupAfterGivenUpWaits(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var g tasksync.WaitGroup
		ctx, cancel := context.WithCancel(bg)
		g.Add(1)
		impatient := func() {
			if err := g.WaitContext(ctx); err != nil {
				require.ErrorIs(t, err, context.Canceled)
			}
		}
		done := false
		all(cancel, impatient, impatient, func() { g.Done(); g.Wait() })
		g.Add(1)
		all(func() { g.Wait(); require.True(t, done) }, func() { t.Point("working"); done = true; g.Done() })
		require.Zero(t, tasksync.Listed(&g))
	})
}

// The end of a round whose last wait is being given up does not end the waits of the next one.
func TestStepWaitGroupRoundsDoNotMix(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var g tasksync.WaitGroup
		ctx, cancel := context.WithCancel(bg)
		g.Add(1)
		done := false
		var ended tasksync.WaitGroup
		ended.Go(g.Done)
		var given tasksync.WaitGroup
		given.Go(func() { _ = g.WaitContext(ctx) })
		given.Go(cancel)
		given.Wait()
		g.Wait()
		g.Add(1)
		all(func() { g.Wait(); require.True(t, done) }, func() { t.Point("working"); done = true; g.Done() })
		ended.Wait()
	})
}

// A forced shutdown ends the waits, and the group goes on.
func TestStepWaitGroupAfterForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var g tasksync.WaitGroup
		g.Add(1)
		done := false
		for range 2 {
			p.Go(func() { g.Wait(); require.True(t, done) })
		}
		lockstep.Yield()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		end := func() { done = true; g.Done() }
		if shutdown := func() { require.NoError(t, p.Shutdown(ctx)) }; t.Choose(2) == 0 {
			all(g.Wait, end, shutdown)
		} else {
			shutdown()
			end()
		}
		require.Zero(t, tasksync.Listed(&g))
	}, steptest.EarlyTimers(false))
}

// Go counts each task that it has started until that is over, also on a pool with a capacity.
func TestStepWaitGroupGo(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithCapacity(1))
		require.NoError(t, p.Run(bg, func(context.Context) error {
			var g tasksync.WaitGroup
			begun, done := 0, 0
			for range 3 {
				g.Go(func() { begun++; lockstep.Yield(); done++ })
			}
			g.Wait()
			require.Equal(t, 3, done)
			require.Equal(t, 3, begun)
			return nil
		}))
		require.NoError(t, p.Close())
	})
}

// The function of a Once runs once, and nobody returns before it has.
func TestStepOnceIsOne(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var o tasksync.Once
		calls, returned := 0, false
		value := tasksync.OnceValue(func() int { calls++; t.Point("making it"); returned = true; return 7 })
		do := func() {
			o.Do(func() { calls++; t.Point("in it"); returned = true })
			require.True(t, returned)
			require.Equal(t, 1, calls)
		}
		if t.Choose(2) == 1 {
			do = func() { require.Equal(t, 7, value()); require.True(t, returned); require.Equal(t, 1, calls) }
		}
		all(do, do, do)
	})
}

// A Once that calls itself panics instead of waiting for ever, and has been called.
func TestStepOnceInItself(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var o tasksync.Once
		panics := 0
		do := func() {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			o.Do(func() { t.Point("in it"); o.Do(func() {}) })
		}
		all(do, do)
		require.Equal(t, 1, panics)
		o.Do(func() { t.Error("twice") })
	})
}
