//go:build !race

package lockstep_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
)

// Wait returns when all tasks are over, with an error that one of them has returned, the first, and ends the context.
func TestStepGroupWaits(t *testing.T) {
	steps(t, func(t *steptest.T) {
		g, ctx := lockstep.NewGroup(bg)
		ended := 0
		var first error
		errs := []error{nil, errors.New("b"), errors.New("c")}
		for _, err := range errs {
			g.Go(func() error {
				t.Point("working")
				ended++
				if ctx.Err() == nil && err != nil && first == nil {
					first = err
				}
				return err
			})
		}
		wait := func() {
			err := g.Wait()
			require.Equal(t, 3, ended)
			require.Contains(t, errs[1:], err)
			require.Equal(t, err, context.Cause(ctx))
		}
		inAnyOrder(wait, wait)
		require.NotNil(t, first)
		require.Error(t, ctx.Err())
	})
}

// No more tasks than the limit are in the group at a time, those who wait for a place get it in turn, and Wait is for all of them.
func TestStepGroupLimit(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var g lockstep.Group
		g.SetLimit(2)
		active, ran, refused := 0, 0, 0
		f := func() error {
			active++
			require.LessOrEqual(t, active, 2)
			t.Point("working")
			active--
			ran++
			return nil
		}
		try := func() {
			if !g.TryGo(f) {
				refused++
			}
		}
		inAnyOrder(
			func() { g.Go(f); g.Go(f) },
			func() { g.Go(f); try() },
			func() { g.Go(f) },
			func() { _ = g.Wait() },
		)
		require.NoError(t, g.Wait())
		require.Equal(t, 5, ran+refused)
		g.SetLimit(1) // nobody is active
		g.Go(f)
		require.NoError(t, g.Wait())
	})
}

// A place that is given to a Go whose task a forced shutdown ends is not lost to the others.
func TestStepGroupOutlivesAForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var g lockstep.Group
		g.SetLimit(1)
		active := 0
		f := func() error {
			active++
			require.Equal(t, 1, active)
			t.Point("working")
			active--
			return nil
		}
		ctx, cancel := context.WithCancel(bg)
		cancel()
		release := false
		g.Go(func() error {
			for !release {
				lockstep.Yield()
			}
			return nil
		})
		after := 0
		p.Go(func() { g.Go(f); lockstep.Yield(); after++ })
		p.Go(func() { _ = g.Wait(); lockstep.Yield(); after++ })
		lockstep.Yield()
		held := t.Choose(2) == 0 // until the shutdown is over: the waits of the pool's tasks end by that
		inAnyOrder(func() {
			require.NoError(t, p.Shutdown(ctx))
			if release = true; held {
				require.Zero(t, after)
			}
		}, func() {
			if !held {
				release = true
			}
			g.Go(f)
		}, func() { g.Go(f) })
		_ = g.Wait()
		require.True(t, g.TryGo(f))
		_ = g.Wait()
		require.Zero(t, active)
	}, steptest.EarlyTimers(false))
}

// A group in which a task panics, exits or is not accepted ends like any other.
func TestStepGroupOfTasksThatDoNotReturn(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
		g, _ := lockstep.NewGroup(p.Context(bg))
		g.SetLimit(1)
		inAnyOrder(
			func() { g.Go(func() error { t.Point("working"); panic("boom") }) },
			func() { g.Go(func() error { return nil }) },
			func() { require.NoError(t, p.Close()) },
		)
		if err := g.Wait(); err != nil && !errors.Is(err, lockstep.ErrClosed) {
			require.ErrorAs(t, err, new(*lockstep.PanicError))
		}
	})
}
