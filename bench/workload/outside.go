package workload

import (
	"sync"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// The rows in this file submit from ordinary goroutines, which is how a pool is met by code that nobody has
// rewritten yet.
var (
	// Outside1 is one goroutine that submits a million tasks and waits for them.
	Outside1 = &Workload{
		Name: "Outside1", Title: "task from outside, one producer", Unit: "ns/task",
		Size: million, Quick: 20_000, Variants: bothVariants,
		Series: tasksSeries, X: million,
		run: func(e *Env, n int) { inChunks(n, func(k int) { produce(e, k, 1) }) },
	}
	// Outside8 is the same work from eight goroutines at once.
	Outside8 = &Workload{
		Name: "Outside8", Title: "task from outside, eight producers", Unit: "ns/task",
		Size: million, Quick: 20_000,
		run: func(e *Env, n int) { inChunks(n, func(k int) { produce(e, k, 8) }) },
	}
	// OutsideOne submits a task and waits for it before the next: the latency of a round trip rather than the
	// throughput. Pools of locked threads pay here for waking a thread, so the row is one to keep.
	OutsideOne = &Workload{
		Name: "OutsideOne", Title: "task from outside and wait, one by one", Unit: "ns/task",
		Size: 10_000, Quick: 200, Variants: floatingVariant,
		run: func(e *Env, n int) {
			for range n {
				produce(e, 1, 1)
			}
		},
	}
	// Batch256 submits 256 tasks and waits for them, again and again.
	Batch256 = &Workload{
		Name: "Batch256", Title: "batch of 256, submit and wait", Unit: "ns/task",
		Size: 2_000, Quick: 40, Ops: batch, Variants: bothVariants,
		run: func(e *Env, n int) {
			for range n {
				produce(e, batch, 1)
			}
		},
	}
	// Tree16 starts one task that spawns two, each of which spawns two, sixteen levels deep.
	Tree16 = &Workload{
		Name: "Tree16", Title: "task tree of depth 16", Unit: "ns/task",
		Size: 4, Quick: 1, Ops: 1<<(treeDepth+1) - 1, NeedsQueue: true,
		run: func(e *Env, n int) {
			for range n {
				tree(e, treeDepth)
			}
		},
	}

	outside = []*Workload{Outside1, Outside8, OutsideOne, Batch256, Tree16}
)

const (
	million   = 1_000_000
	batch     = 256
	treeDepth = 16
)

// inChunks does n operations in chunks of at most a million, so that a benchmark which asks for more does not measure
// an ever longer queue.
func inChunks(n int, do func(k int)) {
	for ; n > million; n -= million {
		do(million)
	}
	do(n)
}

// produce submits n trivial tasks from the given number of goroutines and waits until all have run.
func produce(e *Env, n, producers int) {
	done, wait := e.tracked(n)
	task := e.trivial(done)
	if producers == 1 {
		submit(e, task, n)
		wait()
		return
	}
	var submitting sync.WaitGroup
	for i := range producers {
		submitting.Go(func() { submit(e, task, n*(i+1)/producers-n*i/producers) })
	}
	submitting.Wait()
	wait()
}

func submit(e *Env, task func(), n int) {
	if r, ok := e.Pool.(rival.Repeater); ok {
		r.GoN(task, n)
		return
	}
	for range n {
		e.Pool.Go(task)
	}
}

// tree runs one tree and returns when its last leaf has counted itself. Inner tasks end before their children do, so
// only leaves have to be waited for.
func tree(e *Env, depth int) {
	done, wait := e.tracked(1 << depth)
	var node func(depth int)
	node = func(depth int) {
		e.count(1)
		if depth > 0 {
			for range 2 {
				e.Pool.Go(func() { node(depth - 1) })
			}
			return
		}
		if done != nil {
			done()
		}
	}
	e.Pool.Go(func() { node(depth) })
	wait()
}
