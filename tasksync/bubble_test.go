package tasksync_test

//lint:file-ignore SA2001 that a lock is got, or at what cost, is what counts

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Goroutines may wait inside bubbles of synctest and outside in one process: nothing of one wait turns up in another.
func TestBubblesDoNotMix(t *testing.T) {
	wait := func(settle func()) {
		var m tasksync.Mutex
		var rw tasksync.RWMutex
		s := tasksync.NewSemaphore(1)
		_ = s.Acquire(bg, 1)
		var g tasksync.WaitGroup
		g.Add(1)
		m.Lock()
		rw.Lock()
		var ends sync.WaitGroup
		for range 8 {
			ends.Go(func() { m.Lock(); m.Unlock() })
			ends.Go(func() { rw.Lock(); rw.Unlock() })
			ends.Go(func() { rw.RLock(); rw.RUnlock() })
			ends.Go(g.Wait)
			ends.Go(func() { _ = s.Acquire(bg, 1); s.Release(1) })
		}
		settle()
		m.Unlock()
		rw.Unlock()
		g.Done()
		s.Release(1)
		ends.Wait()
	}
	for range 20 {
		synctest.Test(t, func(*testing.T) { wait(synctest.Wait) })
		wait(func() {})
	}
}

// A Wait of a Cond whose lock is not locked panics, and leaves nobody behind who would take another's Signal.
func TestCondWaitWithoutTheLock(t *testing.T) {
	p := mixed(t, 1, true)
	inTask(p, func() {
		var m tasksync.Mutex
		c := tasksync.NewCond(&m)
		require.Panics(t, c.Wait)
		require.Panics(t, func() { _ = c.WaitContext(bg) })
		require.True(t, m.TryLock(), "still of use")
		m.Unlock()
		woken := false
		var g tasksync.WaitGroup
		g.Go(func() { m.Lock(); c.Wait(); woken = true; m.Unlock() })
		lockstep.Yield() // now it waits
		c.Signal()
		g.Wait()
		require.True(t, woken)
	})
}
