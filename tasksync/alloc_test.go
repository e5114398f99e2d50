//go:build !race

package tasksync_test

//lint:file-ignore SA2001 that a lock is got, or at what cost, is what counts

import (
	"testing"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Waits of tasks, whose contexts cannot end, do not allocate once the nodes are there.
func TestWaitsDoNotAllocate(t *testing.T) {
	p := mixed(t, 1, true)
	var m tasksync.Mutex
	s := tasksync.NewSemaphore(1)
	inTask(p, func() {
		round := func() {
			m.Lock()
			_ = s.Acquire(bg, 1)
			done := false
			p.Go(func() { m.Lock(); m.Unlock(); _ = s.Acquire(bg, 1); s.Release(1); done = true })
			for range 3 {
				lockstep.Yield()
			}
			m.Unlock()
			s.Release(1)
			for !done {
				lockstep.Yield()
			}
		}
		bare := testing.AllocsPerRun(200, func() {
			done := false
			p.Go(func() { done = true })
			for !done {
				lockstep.Yield()
			}
		})
		if allocs := testing.AllocsPerRun(200, round); allocs > bare+0.5 {
			t.Errorf("%v allocations, %v without waits", allocs, bare)
		}
	})
}
