package tasksync_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// What is in use is never more than there is, and everybody gets what it asks for.
func TestStepSemaphoreBounds(t *testing.T) {
	steps(t, func(t *steptest.T) {
		s := tasksync.NewSemaphore(3)
		used := int64(0)
		use := func(n int64, acquire func(n int64)) func() {
			return times(2, func() {
				acquire(n)
				used += n
				require.LessOrEqual(t, used, int64(3))
				t.Point("using")
				used -= n
				s.Release(n)
			})
		}
		wait := func(n int64) { require.NoError(t, s.Acquire(bg, n)) }
		try := func(n int64) {
			for !s.TryAcquire(n) {
				lockstep.Yield()
			}
		}
		all(use(1, wait), use(3, wait), use(2, []func(int64){wait, try}[t.Choose(2)]))
		require.True(t, s.TryAcquire(3))
		require.Zero(t, tasksync.Listed(s))
	})
}

// Units go neither lost nor twice to somebody if a wait ends with its context, and those behind it are served.
func TestStepSemaphoreContextMeetsRelease(t *testing.T) {
	steps(t, func(t *steptest.T) {
		s := tasksync.NewSemaphore(2)
		ctx, cancel := context.WithCancel(bg)
		used := int64(0)
		use := func(ctx context.Context, n int64) func() {
			return func() {
				if s.Acquire(ctx, n) != nil {
					return
				}
				used += n
				require.LessOrEqual(t, used, int64(2))
				t.Point("using")
				used -= n
				s.Release(n)
			}
		}
		all(use(bg, 1), use(ctx, 2), use(bg, 1), use([]context.Context{ctx, bg}[t.Choose(2)], 1), cancel)
		require.True(t, s.TryAcquire(2))
		require.Zero(t, tasksync.Listed(s))
	})
}

// Who has given up holds nobody up: what is free goes to those who waited behind it.
func TestStepSemaphoreGivenUpHoldsNobodyUp(t *testing.T) {
	steps(t, func(t *steptest.T) {
		s := tasksync.NewSemaphore(2)
		ctx, cancel := context.WithCancel(bg)
		require.True(t, s.TryAcquire(1))
		all(
			func() { require.Error(t, s.Acquire(ctx, 2)) },
			func() { require.NoError(t, s.Acquire(bg, 1)) },
			cancel,
		)
		s.Release(2)
		require.True(t, s.TryAcquire(2))
	})
}

// Who asks for much is not overtaken by those who come later.
func TestStepSemaphoreInOrder(t *testing.T) {
	steps(t, func(t *steptest.T) {
		s := tasksync.NewSemaphore(2)
		require.True(t, s.TryAcquire(1))
		much := false
		less := func() {
			waits := tasksync.Listed(s) > 0
			require.NoError(t, s.Acquire(bg, 1))
			require.True(t, much || !waits)
			s.Release(1)
		}
		all(func() { require.NoError(t, s.Acquire(bg, 2)); much = true; s.Release(2) }, less, less, func() { s.Release(1) })
	})
}

// A forced shutdown ends those who wait, and what they asked for is free.
func TestStepSemaphoreAfterForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		s := tasksync.NewSemaphore(2)
		require.True(t, s.TryAcquire(2))
		for n := int64(1); n <= 2; n++ {
			p.Go(func() {
				if err := s.Acquire(bg, n); err != nil {
					require.ErrorIs(t, err, lockstep.ErrShutdown)
					return
				}
				defer s.Release(n)
				t.Point("using")
			})
		}
		ctx, cancel := context.WithCancel(bg)
		cancel()
		all(func() { s.Release(1); s.Release(1) }, func() { require.NoError(t, p.Shutdown(ctx)) })
		require.True(t, s.TryAcquire(2))
	}, steptest.EarlyTimers(false))
}

// Releases that are too many together are found out, at the latest by the last one, and never is more free than there is, also where somebody waits.
func TestStepSemaphoreReleaseOfTooMuch(t *testing.T) {
	steps(t, func(t *steptest.T) {
		s := tasksync.NewSemaphore(2)
		require.True(t, s.TryAcquire(1))
		panics := 0
		release := func(n int64) func() {
			return func() {
				defer func() {
					if recover() != nil {
						panics++
					}
				}()
				s.Release(n)
			}
		}
		ctx, cancel := context.WithCancel(bg)
		all(release(1), release(1), cancel, func() {
			if s.Acquire(ctx, 2) == nil {
				release(2)()
			}
		})
		require.Equal(t, 1, panics)
		require.False(t, s.TryAcquire(3))
		require.Zero(t, tasksync.Listed(s))
	})
}
