// Package bugs is the benchmark that package steptest holds itself to: small programs, each with one known fault of the kind that real
// ones have had, and a twin in which it is mended. A search has to find the fault in the one and must find nothing in the other.
//
// They are written from descriptions, for the tasks, locks and channels of this module. Tasks are never interrupted between two points, so where the
// original has an access without protection to what others use, it is a [cell] here, whose accesses are points.
package bugs

import (
	"context"
	"sync"

	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Program is a fault and its mended twin.
type Program struct {
	Name   string
	Source string // where it is known from
	Kind   string // of the failure, as steptest.Result has it
	Buggy  func(t *steptest.T)
	Fixed  func(t *steptest.T)

	// Cap is how many schedules the portfolio may need, whatever the seed; 0 stands for DefaultCap.
	Cap int
	// Steps bounds a schedule, for faults that are an endless loop; 0 leaves it to steptest.
	Steps int
}

// DefaultCap is as many as steptest.Run tries by default. What needs more is named as such; caps are about ten times the 95th percentile.
const DefaultCap = 1000

// All returns the programs, family by family.
func All() []Program {
	var all []Program
	for _, family := range families {
		all = append(all, family()...)
	}
	return all
}

var families = []func() []Program{Kernels, SCTBench, SCTBenchQueues, Stealing, GoKerLocks, GoKerChannels, GoKerWaits, Demos, Classics, LockFree, Services, Depths}

// Options are those for a search in p.
func (p *Program) Options() []steptest.Option {
	if p.Steps == 0 {
		return nil
	}
	return []steptest.Option{steptest.MaxSteps(p.Steps)}
}

var bg = context.Background()

// cell is a variable that tasks share, each access of which is a point.
type cell[T any] struct{ v T }

func (c *cell[T]) load() T {
	pool.Point(pool.OpRead, c)
	return c.v
}

func (c *cell[T]) store(v T) {
	pool.Point(pool.OpWrite, c)
	c.v = v
}

// update is a read and a write that nobody comes between: an atomic operation.
func (c *cell[T]) update(f func(T) T) T {
	pool.Point(pool.OpUpdate, c)
	c.v = f(c.v)
	return c.v
}

// add is an atomic addition.
func add(c *cell[int], n int) int { return c.update(func(v int) int { return v + n }) }

// swapped is an atomic compare-and-swap.
func swapped[T comparable](c *cell[T], from, to T) bool {
	pool.Point(pool.OpUpdate, c)
	if c.v != from {
		return false
	}
	c.v = to
	return true
}

// work is n steps that have to do with nobody else.
func work(t *steptest.T, n int) {
	for range n {
		t.Point("work")
	}
}

// under calls f with the lock held.
func under(l sync.Locker, f func()) {
	l.Lock()
	f()
	l.Unlock()
}

// together runs functions as tasks and waits for them.
func together(tasks ...func()) {
	var wg tasksync.WaitGroup
	for _, f := range tasks {
		wg.Go(f)
	}
	wg.Wait()
}

// times is f n times, and then more, for together.
func times(n int, f func(), more ...func()) []func() {
	all := make([]func(), 0, n+len(more))
	for range n {
		all = append(all, f)
	}
	return append(all, more...)
}
