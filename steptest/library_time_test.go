package steptest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// since tells the time of the schedule in whole seconds.
func since(t *steptest.T, began time.Time) int { return int(t.Now().Sub(began) / time.Second) }

// Time stands while tasks can run, and then goes to the next timer.
func TestStepTimers(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		began := t.Now()
		require.Equal(t, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), began)
		var order []int
		g := lockstep.Group{}
		for _, s := range []int{3, 1, 2} {
			g.Go(func() error {
				err := lockstep.Sleep(t.Context(), time.Duration(s)*time.Second)
				order = append(order, s)
				require.Equal(t, s, since(t, began))
				return err
			})
		}
		require.NoError(t, g.Wait())
		require.Equal(t, []int{1, 2, 3}, order)

		x := lockstep.NewTimer(time.Second)
		at, err := x.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, 4*time.Second, at.Sub(began))
		require.False(t, x.Reset(time.Hour))
		require.True(t, x.Stop())

		called := 0
		f := lockstep.AfterFunc(time.Second, func() { called = since(t, began) })
		g.Go(func() error { _, _, err := chans.ReceiveNative(t.Context(), lockstep.After(2*time.Second)); return err })
		require.NoError(t, g.Wait())
		require.Equal(t, 5, called)
		require.Equal(t, 6, since(t, began))
		require.False(t, f.Stop())
	}, steptest.EarlyTimers(false))
}

func TestStepTicker(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		began := t.Now()
		x := lockstep.NewTicker(time.Second) // which nobody stops
		for i := range 3 {
			at, err := x.Wait(t.Context())
			require.NoError(t, err)
			require.Equal(t, time.Duration(i+1)*time.Second, at.Sub(began))
		}
		require.NoError(t, lockstep.Sleep(t.Context(), 2500*time.Millisecond))
		at, err := x.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, 4*time.Second, at.Sub(began), "the first that nobody took stays")
		x.Reset(time.Minute)
		_, _ = x.Wait(t.Context())
		require.Equal(t, 65500*time.Millisecond, t.Now().Sub(began))
	}, steptest.EarlyTimers(false))
}

// With early timers what is late and what is in time both happen.
func TestStepEarlyTimers(t *testing.T) {
	late, inTime := 0, 0
	steptest.Run(t, func(t *steptest.T) {
		done := chans.New[int](1)
		lockstep.Go(func() { t.Point("work"); _ = done.Put(1) })
		ctx, cancel := lockstep.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := done.Receive(ctx); err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			late++
		} else {
			inTime++
		}
	}, steptest.EarlyTimers(true))
	require.Positive(t, late)
	require.Positive(t, inTime)
}

// Timers of several workers that are due at the same time come in any order.
func TestStepTimerTies(t *testing.T) {
	firsts := map[int]bool{}
	steptest.Run(t, func(t *steptest.T) {
		first := 0
		g := lockstep.Group{}
		for i := range 2 {
			g.Go(func() error {
				_ = lockstep.Sleep(t.Context(), time.Second)
				if first == 0 {
					first = i + 1
				}
				return nil
			})
		}
		_ = g.Wait()
		firsts[first] = true
	})
	require.Len(t, firsts, 2)
}

// A function of AfterFunc is called if its time comes before the end of its pool's last task, or of all tasks, if the pool is open.
func TestStepAfterFunc(t *testing.T) {
	called := 0
	steptest.Run(t, func(t *steptest.T) {
		p, ends, closes := t.Pool(), t.Choose(2) == 1, t.Choose(2) == 1
		in := false
		p.Go(func() {
			lockstep.AfterFunc(time.Second, func() { in = true; called++ })
			if !ends {
				_ = lockstep.Sleep(t.Context(), 2*time.Second)
			}
		})
		if closes {
			require.NoError(t, p.Close())
			require.Equal(t, !ends, in)
		}
	}, steptest.EarlyTimers(false), steptest.AllowLeaks())
	require.Positive(t, called)
}

// A timer outlives the pool of the task that has set it.
func TestStepTimerOutlivesItsPool(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		h := lockstep.Spawn(p.Context(t.Context()), func(context.Context) (*lockstep.Timer, error) { return lockstep.NewTimer(time.Minute), nil })
		x, err := h.Wait(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Close())
		began := t.Now()
		_, err = x.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, 60, since(t, began))
	}, steptest.EarlyTimers(false))
}

// The end of a context ends each wait, below other contexts too, and its children know at once.
func TestStepDeadlines(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		began, cause := t.Now(), errors.New("cause")
		outer, cancelOuter := context.WithCancelCause(t.Context())
		mid, cancel := lockstep.WithTimeoutCause(outer, time.Minute, errors.New("time"))
		defer cancel()
		inner, cancelInner := context.WithCancel(mid)
		defer cancelInner()
		h := lockstep.Spawn(inner, func(ctx context.Context) (int, error) {
			below, cancel := lockstep.WithDeadline(ctx, t.Now().Add(time.Hour))
			defer cancel()
			err := lockstep.Sleep(below, 2*time.Hour)
			require.ErrorIs(t, below.Err(), ctx.Err())
			return since(t, began), err
		})
		byHand := t.Choose(2) == 1
		if byHand {
			t.Point("perhaps before the task has begun") // a Yield would let time pass
			cancelOuter(cause)
		}
		s, err := h.Wait(context.Background())
		if byHand {
			require.ErrorIs(t, err, cause)
			require.Zero(t, s)
			require.ErrorIs(t, mid.Err(), context.Canceled)
		} else {
			require.EqualError(t, err, "time")
			require.Equal(t, 60, s)
			require.ErrorIs(t, mid.Err(), context.DeadlineExceeded)
		}
		cancelOuter(nil)
	}, steptest.EarlyTimers(false))
}

// Whatever waits gives up when its context ends, and leaves nothing behind.
func TestStepContextEndsWaits(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var mu tasksync.Mutex
		var rw tasksync.RWMutex
		var wg tasksync.WaitGroup
		sem, c, one := tasksync.NewSemaphore(1), chans.New[int](0), &chans.Oneshot[int]{}
		cond, ring := tasksync.NewCond(&tasksync.Mutex{}), chans.NewSPSC[int](1)
		waits := []func(context.Context) error{
			mu.LockContext, rw.LockContext, rw.RLockContext, wg.WaitContext,
			func(ctx context.Context) error { return sem.Acquire(ctx, 1) },
			func(ctx context.Context) error { return c.Send(ctx, 1) },
			func(ctx context.Context) error { _, err := c.Receive(ctx); return err },
			func(ctx context.Context) error { _, err := chans.Select(ctx, chans.Recv(c, nil)); return err },
			func(ctx context.Context) error { _, err := one.Receive(ctx); return err },
			func(ctx context.Context) error { _, err := ring.Pop(ctx); return err },
			func(ctx context.Context) error { cond.L.Lock(); defer cond.L.Unlock(); return cond.WaitContext(ctx) },
			func(ctx context.Context) error { return lockstep.Sleep(ctx, time.Hour) },
			func(ctx context.Context) error { _, err := lockstep.NewTimer(time.Hour).Wait(ctx); return err },
			func(ctx context.Context) error { _, _, err := chans.ReceiveNative[int](ctx, nil); return err },
		}
		mu.Lock()
		rw.Lock()
		wg.Add(1)
		require.True(t, sem.TryAcquire(1))
		wait := waits[t.Choose(len(waits))]
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		h := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, wait(ctx) })
		t.Point("perhaps before the wait")
		if t.Choose(2) == 1 {
			h.Cancel(cause)
		}
		cancel(cause)
		_, err := h.Wait(context.Background())
		require.ErrorIs(t, err, cause)
		mu.Unlock()
		rw.Unlock()
		wg.Done()
		sem.Release(1)
		require.True(t, mu.TryLock() && rw.TryLock() && sem.TryAcquire(1))
	}, steptest.Schedules(3000), steptest.EarlyTimers(false))
}
