package workload

import "github.com/lockstep-go/lockstep/bench/rival"

// The rows in this file spawn from inside a task, which is where work comes from once a program lives in the pool.
var (
	// InsideDrain is one task that spawns 256 children, waits until they have run, and starts again.
	InsideDrain = &Workload{
		Name: "InsideDrain", Title: "task spawned inside the pool, 256 at a time", Unit: "ns/task",
		Size: 2_000, Quick: 40, Ops: batch, Variants: queueVariant, NeedsQueue: true,
		run: func(e *Env, n int) { e.in(func() { spawnInside(e, n, batch) }) },
	}
	// InsideOne is the same with one child at a time.
	InsideOne = &Workload{
		Name: "InsideOne", Title: "task spawned inside the pool and waited for, one by one", Unit: "ns/task",
		Size: 200_000, Quick: 1_000, InProgress: 4,
		run: func(e *Env, n int) { e.in(func() { spawnInside(e, n, 1) }) },
	}
	// SpawnWait starts one child at a time and waits for its handle, in rivals that have a handle or a call.
	SpawnWait = &Workload{
		Name: "SpawnWait", Title: "task spawned inside the pool, handle waited for", Unit: "ns/task",
		Size: 200_000, Quick: 1_000, InProgress: 4, NeedsCall: true,
		run: func(e *Env, n int) {
			caller := e.Pool.(rival.Caller)
			child := func() { e.count(1) }
			e.in(func() {
				for range n {
					caller.Call(child)
				}
			})
		},
	}

	inside = []*Workload{InsideDrain, InsideOne, SpawnWait}
)

// spawnInside runs in a task: times over, it spawns the given number of children and waits until they have run.
func spawnInside(e *Env, times, children int) {
	latch := e.Pool.NewLatch()
	child := func() {
		e.count(1)
		latch.Done()
	}
	for range times {
		latch.Add(children)
		submit(e, child, children)
		latch.Wait()
	}
}
