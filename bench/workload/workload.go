// Package workload holds what is measured, once: the benchmarks of the parent package, cmd/compare and the tests all
// run these bodies, so a number in one place means the same in the others.
package workload

import (
	"slices"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// Workload is one row of the table.
type Workload struct {
	// Name is the row's short name, also that of its benchmark function.
	Name string
	// Title says in words what one operation is.
	Title string
	// Unit is the unit of a result, for example "ns/task".
	Unit string
	// Size is the number of repetitions in a measured round, chosen so that a round takes about a third of a second
	// with the slower rivals. Quick is the number that only proves the workload runs.
	Size, Quick int
	// Ops is how many operations one repetition holds; results are per operation. Zero means one.
	Ops int

	// Also names the further results of a measurement, which become rows of their own.
	Also []Metric
	// Series, if not empty, says which rows lie on one curve, and X where on it.
	Series string
	X      float64

	// Only, if not empty, names the rivals that take part.
	Only []string
	// Variants names lockstep's variants that take part too.
	Variants []string
	// NeedsQueue leaves out rivals whose Go can block. NeedsCall leaves out rivals without an idiom for a call,
	// NeedsStart those without anything to start.
	NeedsQueue, NeedsCall, NeedsStart bool

	// Workers, if not zero, fixes the number of workers.
	Workers int
	// InProgress and Classes are passed on to the rival.
	InProgress int
	Classes    []rival.Class

	// setup makes what has to exist before the clock starts and returns its end.
	setup func(e *Env) (teardown func())
	// run does n repetitions and returns when they are done. Its time is the result.
	run func(e *Env, n int)
	// value, if set, takes the place of run and is the result itself, for what is not a duration.
	value func(e *Env, n int) float64
	// peaks says that the greatest use of memory is the last of the further results.
	peaks bool
	// fewer, if set, is the number of repetitions for rivals with a goroutine for every waiting task. parks says that
	// the tasks have started, so that those are all but lockstep.
	fewer int
	parks bool
}

// Metric is a further result of a workload.
type Metric struct{ Name, Title, Unit string }

// Env is what a body runs in.
type Env struct {
	Pool  rival.Pool
	Entry rival.Entry
	// Workers is how many the pool was asked to have.
	Workers int
	// also are the further results, left there by the body.
	also []float64
	// ran, if set, counts the operations that took place. It is nil while something is measured, so that the counter
	// costs one predicted branch there.
	ran *atomic.Int64
}

// All returns every workload in the order of the table's rows.
func All() []*Workload {
	return slices.Concat(outside, results, inside, yields, pingpong, messages, semaphores, calls, sections, memory, noise, latency, programs,
		starts, idle, scales, crowds, queues)
}

// TakesPart says whether the rival can run the workload, and if not, why: the report prints it below the table.
func (w *Workload) TakesPart(r rival.Entry) (bool, string) {
	switch {
	case r.Kind == rival.Variant:
		return slices.Contains(w.Variants, r.Name), "the variant is measured only where it is the question"
	case len(w.Only) > 0 && !slices.Contains(w.Only, r.Name):
		return false, "the row asks for what only " + w.Only[len(w.Only)-1] + " has"
	case w.NeedsQueue && !r.NeverBlocks:
		return false, "its Go blocks when the pool is full, so a task that spawns deadlocks and nothing can be queued"
	case w.NeedsCall && !r.Calls:
		return false, "it has no call for 'run this and wait'"
	case w.NeedsStart && r.Startless:
		return false, "it has nothing to start or to close"
	}
	return true, ""
}

// queueVariant and floatingVariant are the variants that rows about task queues and about threads ask for.
var (
	queueVariant    = []string{rival.LockstepQueueName}
	floatingVariant = []string{rival.LockstepFloatingName}
	bothVariants    = []string{rival.LockstepQueueName, rival.LockstepFloatingName}
)

// PerRepetition is the number of operations in one repetition.
func (w *Workload) PerRepetition() int { return max(w.Ops, 1) }

// SizeFor is the number of repetitions of a measured round with the given rival.
func (w *Workload) SizeFor(r rival.Entry) int {
	if w.fewer > 0 && (r.GoroutineEach || w.parks && r.Kind == rival.Rival) {
		return w.fewer
	}
	return w.Size
}

// count notes k operations.
func (e *Env) count(k int) {
	if e.ran != nil {
		e.ran.Add(int64(k))
	}
}

// tracked prepares the rival's own way of waiting, from outside, for n tasks: it returns what a task calls at its
// end, and what waits for all of them. A rival that counts its tasks itself needs nothing from the task.
func (e *Env) tracked(n int) (done, wait func()) {
	if own, ok := e.Pool.(rival.Waiter); ok {
		return nil, own.Wait
	}
	wg := new(sync.WaitGroup)
	wg.Add(n)
	return wg.Done, wg.Wait
}

// trivial returns the smallest task that still can be waited for: one ready-made function for all tasks, so that
// what is measured is the pool and not the caller's closures.
func (e *Env) trivial(done func()) func() {
	if done == nil {
		return func() { e.count(1) }
	}
	return func() {
		e.count(1)
		done()
	}
}

// in runs body as one task of the rival and returns when it has ended.
func (e *Env) in(body func()) {
	ended := make(chan struct{})
	e.Pool.Go(func() {
		defer close(ended)
		body()
	})
	<-ended
}

// goIn starts f in a class of work where the rival has such a thing, else plainly.
func (e *Env) goIn(class string, f func()) {
	if c, ok := e.Pool.(rival.Classed); ok {
		c.GoIn(class, f)
		return
	}
	e.Pool.Go(f)
}
