package tasksync_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// What is given meets a wait that has just ended, whose task has not run since and so is still in the list: it passes that
// one by. On one worker that is sure to happen: the one who ends the wait gives before it yields.
func TestEndedWaitsArePassedBy(t *testing.T) {
	errEnded := errors.New("ended")
	p := workers(t, 1)
	// ended returns after wait has been ended and before its task knows.
	ended := func(wait func(ctx context.Context) error) *lockstep.Task[int] {
		task := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) { return 0, wait(ctx) })
		lockstep.Yield()
		task.Cancel(errEnded)
		return task
	}
	gone := func(task *lockstep.Task[int]) {
		_, err := task.Wait(bg)
		require.Equal(t, errEnded, err)
	}
	// behind starts a task that waits behind an ended one.
	behind := func(wait func()) *lockstep.Task[int] {
		task := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { wait(); return 0, nil })
		lockstep.Yield()
		return task
	}
	served := func(task *lockstep.Task[int]) {
		_, err := task.Wait(bg)
		require.NoError(t, err)
	}

	inTask(p, func() {
		var m tasksync.Mutex
		m.Lock()
		task := ended(m.LockContext)
		m.Unlock()
		require.True(t, m.TryLock(), "nobody has it")
		gone(task)
		task = ended(m.LockContext)
		second := behind(m.Lock)
		m.Unlock()
		served(second)
		gone(task)
		m.Unlock()
		require.True(t, m.TryLock())

		var rw tasksync.RWMutex
		rw.Lock()
		writer, reader := ended(rw.LockContext), ended(rw.RLockContext)
		rw.Unlock()
		require.True(t, rw.TryLock(), "nobody has it")
		gone(writer)
		gone(reader)
		rw.Unlock()
		rw.RLock()
		writer = ended(rw.LockContext)
		second = behind(rw.RLock)
		rw.RUnlock()
		served(second)
		gone(writer)
		rw.RUnlock()
		require.True(t, rw.TryLock())

		s := tasksync.NewSemaphore(2)
		_ = s.Acquire(bg, 2)
		task = ended(func(ctx context.Context) error { return s.Acquire(ctx, 2) })
		second = behind(func() { _ = s.Acquire(bg, 1) })
		s.Release(1)
		served(second)
		gone(task)
		s.Release(2)
		require.True(t, s.TryAcquire(2))

		c := tasksync.NewCond(&m) // m is locked
		m.Unlock()
		task = ended(func(ctx context.Context) error { m.Lock(); defer m.Unlock(); return c.WaitContext(ctx) })
		second = behind(func() { m.Lock(); defer m.Unlock(); c.Wait() })
		c.Signal()
		served(second)
		gone(task)

		var g tasksync.WaitGroup
		g.Add(1)
		task = ended(g.WaitContext)
		second = behind(g.Wait)
		g.Done()
		served(second)
		gone(task)
		g.Add(1) // another round
		g.Done()
		g.Wait()
	})
}

// Waits that end early leave nothing behind in what is never given.
func TestEndedWaitsLeaveNothing(t *testing.T) {
	var m tasksync.Mutex
	m.Lock()
	var rw tasksync.RWMutex
	rw.Lock()
	s := tasksync.NewSemaphore(1)
	require.True(t, s.TryAcquire(1))
	c := tasksync.NewCond(new(tasksync.Mutex))
	var g tasksync.WaitGroup
	g.Add(1)
	for _, w := range []struct {
		on   any
		wait func(ctx context.Context) error
	}{
		{&m, m.LockContext},
		{&rw, rw.LockContext},
		{&rw, rw.RLockContext},
		{s, func(ctx context.Context) error { return s.Acquire(ctx, 1) }},
		{c, func(ctx context.Context) error { c.L.Lock(); defer c.L.Unlock(); return c.WaitContext(ctx) }},
		{&g, g.WaitContext},
	} {
		ctx, cancel := context.WithCancel(bg)
		ends := make(chan error, 3)
		for range 3 {
			go func() { ends <- w.wait(ctx) }()
		}
		until(func() bool { return tasksync.Listed(w.on) == 3 })
		cancel()
		for range 3 {
			require.Equal(t, context.Canceled, <-ends)
		}
		require.Zero(t, tasksync.Listed(w.on), "%T", w.on)
	}
}
