package tasksync_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// section is what only one task may be in.
type section struct{ in, times int }

func (s *section) pass(t *steptest.T) {
	s.in++
	require.Equal(t, 1, s.in)
	t.Point("inside")
	s.in--
	s.times++
}

// At most one has the lock, however it was got, and everybody gets it.
func TestStepMutexExcludes(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var m tasksync.Mutex
		var s section
		pass := func(lock func()) func() {
			return times(2, func() { lock(); s.pass(t); m.Unlock() })
		}
		try := func() {
			for !m.TryLock() {
				lockstep.Yield()
			}
		}
		third := []func(){m.Lock, try, func() { pool.Inner(&m); tasksync.LockAlways(&m) }}[t.Choose(3)]
		all(pass(m.Lock), pass(func() { require.NoError(t, m.LockContext(bg)) }), pass(third))
		require.Equal(t, 6, s.times)
		require.True(t, m.TryLock())
	})
}

// A wait that ends with its context takes no lock and leaves nothing behind, whenever the unlock comes.
func TestStepMutexContextMeetsUnlock(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var m tasksync.Mutex
		var s section
		ctx, cancel := context.WithCancel(bg)
		impatient := func() {
			if err := m.LockContext(ctx); err != nil {
				require.ErrorIs(t, err, context.Canceled)
				return
			}
			s.pass(t)
			m.Unlock()
		}
		try := func() {
			if m.TryLock() {
				s.pass(t)
				m.Unlock()
			}
		}
		all(impatient, impatient, cancel, func() { m.Lock(); s.pass(t); m.Unlock() }, try)
		require.Zero(t, tasksync.Listed(&m))
		require.True(t, m.TryLock())
	})
}

// The tasks of one worker get the lock in the order in which they have begun to wait.
func TestStepMutexHandsOverOnOneWorker(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithWorkers(1))
		require.NoError(t, p.Run(bg, func(context.Context) error {
			var m tasksync.Mutex
			var order []int
			m.Lock()
			var all tasksync.WaitGroup
			for i := range 3 {
				all.Go(func() {
					m.Lock()
					order = append(order, i)
					t.Point("inside")
					m.Unlock()
				})
				for tasksync.Listed(&m) != i+1 {
					lockstep.Yield()
				}
			}
			m.Unlock()
			require.False(t, m.TryLock(), "it belongs to the first who waits")
			all.Wait()
			require.Equal(t, []int{0, 1, 2}, order)
			return nil
		}))
	}, steptest.Workers(1))
}

// Who was woken, and found the lock taken, gets it from the next unlock.
func TestStepMutexWaitsInVainOnce(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var m tasksync.Mutex
		next := (*pool.Place)(nil) // whose turn it is, if somebody has tried in vain
		pass := func() {
			m.Lock()
			if next != nil {
				require.Equal(t, *next, pool.Current().Place())
			}
			next = nil
			t.Point("inside")
			if at, ok := tasksync.FirstTried(&m); ok {
				next = &at
			}
			m.Unlock()
		}
		p := t.Pool(lockstep.WithWorkers(3))
		var g tasksync.WaitGroup
		for range 3 {
			g.Add(1)
			p.Go(func() { times(3, pass)(); g.Done() })
		}
		g.Wait()
	})
}

// A forced shutdown ends those who wait, and who has the lock gives it to the others.
func TestStepMutexAfterForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var m tasksync.Mutex
		var s section
		locked := false
		m.Lock()
		for range 2 {
			p.Go(func() {
				m.Lock()
				defer m.Unlock()
				locked = true
				s.pass(t)
			})
		}
		lockstep.Yield()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		if t.Choose(2) == 0 {
			all(func() { s.pass(t); m.Unlock() }, func() { require.NoError(t, p.Shutdown(ctx)) })
		} else {
			require.NoError(t, p.Shutdown(ctx))
			require.False(t, locked)
			m.Unlock()
		}
		require.Zero(t, tasksync.Listed(&m))
		require.True(t, m.TryLock())
	}, steptest.EarlyTimers(false))
}

// One unlock too many is a panic of one of those who unlock, and the lock goes on.
func TestStepMutexUnlockedTwice(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var m tasksync.Mutex
		m.Lock()
		panics := 0
		unlock := func() {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			m.Unlock()
		}
		passed := 0
		pass := func() { m.Lock(); passed++; unlock() }
		all(unlock, unlock, pass, pass)
		require.Equal(t, 1, panics)
		require.Equal(t, 2, passed)
		require.Zero(t, tasksync.Listed(&m))
		require.True(t, m.TryLock())
	})
}
