//go:build !race

package lockstep_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
)

// A task that is cancelled runs to its end or not at all, and all who wait for it learn the same.
func TestStepHandleCancelMeetsEnd(t *testing.T) {
	steps(t, func(t *steptest.T) {
		calls, returned := 0, false
		h := lockstep.Spawn(bg, func(ctx context.Context) (int, error) {
			calls++
			t.Point("working")
			defer func() { returned = true }()
			return 7, nil
		})
		var outcomes []error
		wait := func() {
			v, err := h.Wait(bg)
			if err == nil {
				require.Equal(t, 7, v)
				require.True(t, returned)
			} else {
				require.ErrorIs(t, err, context.Canceled)
			}
			outcomes = append(outcomes, err)
		}
		inAnyOrder(wait, wait, func() { h.Cancel(nil) })
		require.Len(t, outcomes, 2)
		require.Equal(t, outcomes[0], outcomes[1])
		require.Equal(t, outcomes[0] == nil, calls == 1)
	})
}

// A wait that its context ends leaves the task alone, and the other waits.
func TestStepHandleWaitIsGivenUp(t *testing.T) {
	steps(t, func(t *steptest.T) {
		failed := errors.New("failed")
		h := lockstep.Spawn(bg, func(context.Context) (int, error) { lockstep.Yield(); return 3, failed })
		ctx, cancel := context.WithCancel(bg)
		given := 0
		inAnyOrder(
			func() {
				if _, err := h.Wait(ctx); !errors.Is(err, failed) {
					require.ErrorIs(t, err, context.Canceled)
					given++
				}
			},
			func() { _, err := h.Wait(bg); require.ErrorIs(t, err, failed) },
			cancel,
			func() { _, err := h.Wait(bg); require.ErrorIs(t, err, failed) },
		)
		_, err := h.Wait(bg)
		require.ErrorIs(t, err, failed)
		require.LessOrEqual(t, given, 1)
	})
}

// A Run whose context ends has not called its function, or waits until that has returned.
func TestStepRunMeetsTheEndOfItsContext(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		ctx, cancel := context.WithCancel(bg)
		begun, returned := false, false
		inAnyOrder(func() {
			err := p.Run(ctx, func(context.Context) error {
				begun = true
				t.Point("working")
				lockstep.Yield()
				returned = true
				return nil
			})
			require.Equal(t, err == nil, begun)
			require.Equal(t, begun, returned)
		}, cancel)
		require.NoError(t, p.Close())
		require.Equal(t, begun, returned)
	})
}

// A Run whose calling task a forced shutdown ends has not called its function, or ends when that has returned.
func TestStepRunInAForcedShutdownOfItsCaller(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p, q := t.Pool(), t.Pool()
		called, begun, returned, ended := false, false, false, true
		p.Go(func() {
			called, ended = true, false
			defer func() { ended = true }()
			_ = q.Run(bg, func(context.Context) error {
				require.False(t, ended)
				begun = true
				t.Point("working")
				require.False(t, ended)
				returned = true
				return nil
			})
		})
		lockstep.Yield()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		require.NoError(t, p.Shutdown(ctx))
		require.True(t, ended)
		require.Equal(t, begun, returned)
		require.NoError(t, q.Close())
		require.True(t, called || !begun)
		require.Equal(t, begun, returned)
	}, steptest.EarlyTimers(false))
}

// A panic and a Goexit of a task come to all who wait, once it is over.
func TestStepHandleOfATaskThatDoesNotReturn(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
		panics := t.Choose(2) == 0
		h := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
			if lockstep.Yield(); panics {
				panic("boom")
			}
			runtime.Goexit()
			return 0, nil
		})
		wait := func() {
			_, err := h.Wait(bg)
			if panics {
				require.ErrorAs(t, err, new(*lockstep.PanicError))
			} else {
				require.ErrorIs(t, err, lockstep.ErrGoexit)
			}
		}
		inAnyOrder(wait, wait)
		require.NoError(t, p.Close())
	})
}

// A task that a forced shutdown ends, or keeps from beginning, says so to all who wait, and so does one that it overtakes in a wait for another task.
func TestStepHandleInAForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p, never := t.Pool(), chans.New[int](0)
		begun, after := 0, 0
		h := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
			begun++
			never.Get()
			after++
			return 0, nil
		})
		of := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
			_, err := h.Wait(bg)
			return 0, err
		})
		wait := func() { _, err := h.Wait(bg); require.ErrorIs(t, err, lockstep.ErrShutdown) }
		ctx, cancel := context.WithCancel(bg)
		cancel()
		inAnyOrder(wait, wait, func() { require.NoError(t, p.Shutdown(ctx)) }, func() {
			_, err := of.Wait(bg)
			require.ErrorIs(t, err, lockstep.ErrShutdown)
		})
		require.Zero(t, after)
		require.LessOrEqual(t, begun, 1)
	}, steptest.EarlyTimers(false))
}
