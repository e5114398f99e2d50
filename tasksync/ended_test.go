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
	begin := func(wait func(ctx context.Context) error) *lockstep.Task[int] {
		task := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) { return 0, wait(ctx) })
		lockstep.Yield() // now it waits
		return task
	}
	always := func(wait func()) *lockstep.Task[int] {
		return begin(func(context.Context) error { wait(); return nil })
	}
	gone := func(task *lockstep.Task[int]) {
		_, err := task.Wait(bg)
		require.Equal(t, errEnded, err)
	}
	served := func(task *lockstep.Task[int]) {
		_, err := task.Wait(bg)
		require.NoError(t, err)
	}

	inTask(p, func() {
		var m tasksync.Mutex
		m.Lock()
		first := begin(m.LockContext)
		first.Cancel(errEnded)
		m.Unlock()
		require.True(t, m.TryLock(), "nobody has it")
		gone(first)
		first, second := begin(m.LockContext), always(m.Lock)
		first.Cancel(errEnded)
		m.Unlock()
		served(second)
		gone(first)
		m.Unlock()
		require.True(t, m.TryLock())
		m.Unlock()

		var rw tasksync.RWMutex
		rw.Lock()
		writer, reader := begin(rw.LockContext), begin(rw.RLockContext)
		writer.Cancel(errEnded)
		reader.Cancel(errEnded)
		rw.Unlock()
		require.True(t, rw.TryLock(), "nobody has it")
		gone(writer)
		gone(reader)
		rw.Unlock()
		rw.RLock()
		writer, second = begin(rw.LockContext), always(rw.RLock)
		writer.Cancel(errEnded)
		rw.RUnlock()
		served(second)
		gone(writer)
		rw.RUnlock()
		require.True(t, rw.TryLock())

		s := tasksync.NewSemaphore(2)
		require.True(t, s.TryAcquire(2))
		first = begin(func(ctx context.Context) error { return s.Acquire(ctx, 2) })
		second = begin(func(context.Context) error { return s.Acquire(bg, 1) })
		first.Cancel(errEnded)
		s.Release(1)
		served(second)
		gone(first)
		s.Release(2)
		require.True(t, s.TryAcquire(2))

		c := tasksync.NewCond(&m)
		first = begin(func(ctx context.Context) error { m.Lock(); defer m.Unlock(); return c.WaitContext(ctx) })
		second = always(func() { m.Lock(); defer m.Unlock(); c.Wait() })
		first.Cancel(errEnded)
		c.Signal()
		served(second)
		gone(first)

		var g tasksync.WaitGroup
		g.Add(1)
		first, second = begin(g.WaitContext), always(g.Wait)
		first.Cancel(errEnded)
		g.Done()
		served(second)
		gone(first)
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
