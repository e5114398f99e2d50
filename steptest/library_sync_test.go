package steptest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// counts has a few tasks that read and write n between lock and unlock.
func counts(t *steptest.T, lock, unlock func()) int {
	n := 0
	var wg tasksync.WaitGroup
	for range 3 {
		wg.Go(func() {
			lock()
			x := n
			t.Point("inside")
			n = x + 1
			unlock()
		})
	}
	wg.Wait()
	return n
}

func TestStepLocks(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var mu tasksync.Mutex
		var rw tasksync.RWMutex
		sem := tasksync.NewSemaphore(1)
		spin := func() {
			for !mu.TryLock() {
				lockstep.Yield()
			}
		}
		switch t.Choose(5) {
		case 0:
			require.Equal(t, 3, counts(t, mu.Lock, mu.Unlock))
		case 1:
			require.Equal(t, 3, counts(t, rw.Lock, rw.Unlock))
		case 2:
			require.Equal(t, 3, counts(t, func() { require.NoError(t, sem.Acquire(t.Context(), 1)) }, func() { sem.Release(1) }))
		case 3:
			require.Equal(t, 3, counts(t, spin, mu.Unlock))
		case 4:
			require.Equal(t, 3, counts(t, func() { require.NoError(t, mu.LockContext(t.Context())) }, mu.Unlock))
		}
	})
}

// A lock for reading does not keep others from reading: the update of one of them is lost, and that is found.
func TestStepReadLockDoesNotExclude(t *testing.T) {
	r := outcome("TestX", func(t *steptest.T) {
		var rw tasksync.RWMutex
		l := rw.RLocker()
		require.Equal(t, 3, counts(t, l.Lock, l.Unlock))
	})
	require.Contains(t, r.text, "steptest: failure")
	require.Contains(t, r.text, "read lock RWMutex#1")
}

func TestStepReadersAndWriters(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		readers, writing := 0, false
		g := lockstep.Group{}
		for range 2 {
			g.Go(func() error {
				rw.RLock()
				defer rw.RUnlock()
				readers++
				require.False(t, writing)
				t.Point("reading")
				readers--
				return nil
			})
			g.Go(func() error {
				if !rw.TryLock() {
					if err := rw.LockContext(t.Context()); err != nil {
						return err
					}
				}
				defer rw.Unlock()
				writing = true
				require.Zero(t, readers)
				t.Point("writing")
				writing = false
				return nil
			})
		}
		require.NoError(t, g.Wait())
	})
}

// Every item that was put in is taken out once.
func TestStepCond(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var mu tasksync.Mutex
		c := tasksync.NewCond(&mu)
		items, taken := 0, 0
		g, ctx := lockstep.NewGroup(t.Context())
		ctx, cancel := context.WithCancel(ctx)
		takers := lockstep.Group{}
		for range 2 {
			takers.Go(func() error {
				mu.Lock()
				defer mu.Unlock()
				for {
					for items == 0 {
						if err := c.WaitContext(ctx); err != nil && items == 0 {
							return nil
						}
					}
					items--
					taken++
				}
			})
		}
		for range 2 {
			g.Go(func() error {
				mu.Lock()
				items++
				mu.Unlock()
				c.Signal()
				return nil
			})
		}
		require.NoError(t, g.Wait())
		cancel()
		require.NoError(t, takers.Wait())
		require.Equal(t, 2, taken)
	})
}

// A Signal that comes before the Wait is lost, and that is a deadlock in some schedule.
func TestStepLostSignal(t *testing.T) {
	r := outcome("TestX", func(t *steptest.T) {
		var mu tasksync.Mutex
		c := tasksync.NewCond(&mu)
		lockstep.Go(func() { mu.Lock(); c.Wait(); mu.Unlock() })
		c.Signal()
	})
	require.Contains(t, r.text, "steptest: leak")
	require.Contains(t, r.text, "waiting for a condition: Cond#1")
}

func TestStepSemaphore(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		s := tasksync.NewSemaphore(3)
		used := int64(0)
		g := lockstep.Group{}
		for n := int64(1); n <= 3; n++ {
			g.Go(func() error {
				if err := s.Acquire(t.Context(), n); err != nil {
					return err
				}
				used += n
				require.LessOrEqual(t, used, int64(3))
				t.Point("has them")
				used -= n
				s.Release(n)
				return nil
			})
		}
		require.NoError(t, g.Wait())
		require.Error(t, s.Acquire(t.Context(), 4))
		require.True(t, s.TryAcquire(3))
	})
}

func TestStepOnce(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var once tasksync.Once
		calls, values := 0, 0
		value := tasksync.OnceValue(func() int { values++; t.Point("making it"); return 7 })
		panics := tasksync.OnceFunc(func() { panic("boom") })
		g := lockstep.Group{}
		for range 3 {
			g.Go(func() error {
				once.Do(func() { t.Point("in it"); calls++ })
				require.Equal(t, 1, calls)
				require.Equal(t, 7, value())
				require.PanicsWithValue(t, "boom", panics)
				return nil
			})
		}
		require.NoError(t, g.Wait())
		require.Equal(t, 1, values)
	})
}

func TestStepWaitGroup(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var wg tasksync.WaitGroup
		done := 0
		for range 2 { // it may be used again
			before := done
			for range 2 {
				wg.Go(func() { t.Point("in it"); done++ })
			}
			g := lockstep.Group{}
			g.Go(func() error { wg.Wait(); require.Equal(t, before+2, done); return nil })
			require.NoError(t, wg.WaitContext(t.Context()))
			require.Equal(t, before+2, done)
			require.NoError(t, g.Wait())
		}
		require.Panics(t, func() { wg.Done() })
	})
}
