package tasksync_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// plain is a lock like those of other packages.
type plain struct{ sync.Locker }

// Every item that is put in, each with a Signal, is taken out, by tasks of which some give up.
func TestStepCondLosesNoSignal(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var m tasksync.Mutex
		c := tasksync.NewCond([]sync.Locker{&m, plain{&m}}[t.Choose(2)])
		ctx, cancel := context.WithCancel(bg)
		items := 0
		take := func() {
			m.Lock()
			for items == 0 {
				c.Wait()
			}
			items--
			m.Unlock()
		}
		impatient := func() {
			m.Lock()
			defer m.Unlock()
			for items == 0 {
				if err := c.WaitContext(ctx); err != nil {
					require.ErrorIs(t, err, context.Canceled)
					return
				}
			}
			items--
			t.Point("puts it back")
			items++
			c.Signal()
		}
		held := t.Choose(2) == 1
		put := func() {
			m.Lock()
			items++
			if held {
				c.Signal()
			}
			m.Unlock()
			if !held {
				c.Signal()
			}
		}
		all(take, impatient, take, put, put, cancel)
		require.Zero(t, items)
		require.Zero(t, tasksync.Listed(c))
	})
}

// A Signal wakes the one that has waited longest, and no other one.
func TestStepCondSignalWakesOne(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var m tasksync.Mutex
		c := tasksync.NewCond(&m)
		woken := 0
		var tasks tasksync.WaitGroup
		for n := range 3 {
			tasks.Go(func() { m.Lock(); c.Wait(); woken++; m.Unlock() })
			for tasksync.Listed(c) != n+1 {
				lockstep.Yield()
			}
		}
		all(c.Signal, c.Signal)
		for tasksync.Listed(c) != 1 || woken != 2 {
			require.LessOrEqual(t, woken, 2)
			lockstep.Yield()
		}
		c.Signal()
		tasks.Wait()
	})
}

// A Broadcast wakes all who wait, and those who give up at that moment leave nothing behind.
func TestStepCondBroadcastWakesAll(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		c := tasksync.NewCond(rw.RLocker())
		ctx, cancel := context.WithCancel(bg)
		open := false
		wait := func() {
			rw.RLock()
			for !open {
				c.Wait()
			}
			rw.RUnlock()
		}
		impatient := func() {
			rw.RLock()
			for !open && c.WaitContext(ctx) == nil {
				t.Point("looks again")
			}
			rw.RUnlock()
		}
		all(wait, wait, impatient, cancel, func() { rw.Lock(); open = true; rw.Unlock(); c.Broadcast() })
		require.Zero(t, tasksync.Listed(c))
		require.True(t, rw.TryLock())
	})
}

// A forced shutdown ends the waits, each with the lock, which is then left by who had it.
func TestStepCondAfterForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var m tasksync.Mutex
		c := tasksync.NewCond(&m)
		var s section
		left, woken := 0, 0
		for range 2 {
			p.Go(func() {
				m.Lock()
				defer func() { s.pass(t); m.Unlock(); left++ }()
				if t.Choose(2) == 0 {
					c.Wait()
					woken++
				} else if err := c.WaitContext(bg); err != nil {
					require.ErrorIs(t, err, lockstep.ErrShutdown)
				}
			})
		}
		lockstep.Yield()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		all(c.Signal, func() { require.NoError(t, p.Shutdown(ctx)) })
		require.Equal(t, left, s.times)
		require.LessOrEqual(t, woken, 1)
		require.Zero(t, tasksync.Listed(c))
		require.True(t, m.TryLock())
	}, steptest.EarlyTimers(false))
}

// refusing is a lock whose Unlock panics, as that of a Mutex which is not locked.
type refusing struct{ sync.Locker }

func (refusing) Unlock() { panic("refused") }

// A Signal that meets a Wait without the lock, which panics, goes on to the next one.
func TestStepCondSignalMeetsPanic(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var m tasksync.Mutex
		c := tasksync.NewCond(refusing{&m})
		listed := false
		all(
			func() { require.Panics(t, c.Wait) },
			func() { tasksync.WaitIn(c, func() { listed = true }) },
			func() {
				for !listed {
					lockstep.Yield()
				}
				c.Signal()
			},
		)
		require.Zero(t, tasksync.Listed(c))
	})
}
