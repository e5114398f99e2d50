package workload

import (
	"fmt"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// The rows in this file ask how the cost of one task grows with what there is of everything else. Each family is a
// curve of the report's plots.
var (
	// Scale1 to Scale16 spawn inside a pool with that many workers, from one task for each worker. GOMAXPROCS stays as
	// it is: with more workers than processors, cores limit the row, and what it shows is what the surplus costs.
	Scale1  = scaleRow(1)
	Scale2  = scaleRow(2)
	Scale4  = scaleRow(4)
	Scale8  = scaleRow(8)
	Scale16 = scaleRow(16)

	scales = []*Workload{Scale1, Scale2, Scale4, Scale8, Scale16}

	// Tasks100 to Tasks100000 submit that many tasks from outside and wait for them. Outside1 is the curve's last
	// point, a million.
	Tasks100    = crowdRow(100)
	Tasks1000   = crowdRow(1_000)
	Tasks10000  = crowdRow(10_000)
	Tasks100000 = crowdRow(100_000)

	crowds = []*Workload{Tasks100, Tasks1000, Tasks10000, Tasks100000}

	// Queues1 to Queues100 have a thousand tasks in that many task queues, each of which yields.
	Queues1   = queuesRow(1)
	Queues10  = queuesRow(10)
	Queues100 = queuesRow(100)

	queues = []*Workload{Queues1, Queues10, Queues100}
)

func scaleRow(workers int) *Workload {
	return &Workload{
		Name:  fmt.Sprintf("Scale%d", workers),
		Title: fmt.Sprintf("task spawned inside the pool, 256 at a time, %d workers", workers),
		Unit:  "ns/task", Size: 800, Quick: 16, Ops: batch, NeedsQueue: true,
		Series: "workers", X: float64(workers), Workers: workers, InProgress: 2 * workers,
		run: func(e *Env, n int) {
			// Each part spawns and waits for itself, so the roots need no more than an end to be waited for.
			done, wait := e.tracked(workers)
			for i := range workers {
				e.Pool.Go(func() {
					spawnInside(e, n*(i+1)/workers-n*i/workers, batch)
					if done != nil {
						done()
					}
				})
			}
			wait()
		},
	}
}

const tasksSeries = "tasks"

func crowdRow(tasks int) *Workload {
	return &Workload{
		Name:  fmt.Sprintf("Tasks%d", tasks),
		Title: fmt.Sprintf("%d tasks from outside, submit and wait", tasks),
		Unit:  "ns/task", Size: max(300_000/tasks, 1), Quick: max(500/tasks, 1), Ops: tasks,
		Series: tasksSeries, X: float64(tasks),
		run: func(e *Env, n int) {
			for range n {
				produce(e, tasks, 1)
			}
		},
	}
}

func queuesRow(n int) *Workload {
	w := &Workload{
		Name:  fmt.Sprintf("Queues%d", n),
		Title: fmt.Sprintf("yield among 1,000 tasks in %d task queues", n),
		Unit:  "ns/yield", Size: 500, Quick: 5, Ops: yielders,
		Series: "task queues", X: float64(n), Only: onlyLockstep, InProgress: yielders,
	}
	for i := range n {
		w.Classes = append(w.Classes, rival.Class{Name: fmt.Sprintf("class %d", i), Shares: 100})
	}
	w.run = func(e *Env, times int) {
		done, wait := e.tracked(yielders)
		for i := range yielders {
			e.goIn(w.Classes[i%n].Name, func() {
				for range times {
					e.Pool.Yield()
				}
				e.count(times)
				done()
			})
		}
		wait()
	}
	return w
}
