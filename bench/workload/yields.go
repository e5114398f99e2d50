package workload

var (
	// Yield1000 is a thousand tasks, each of which gives way a thousand times.
	Yield1000 = &Workload{
		Name: "Yield1000", Title: "yield among 1,000 tasks", Unit: "ns/yield",
		Size: 1_000, Quick: 5, Ops: yielders, InProgress: yielders,
		run: func(e *Env, n int) { yieldTasks(e, yielders, n) },
	}
	// YieldLone is one task that gives way to nobody.
	YieldLone = &Workload{
		Name: "YieldLone", Title: "yield, alone in the pool", Unit: "ns/yield",
		Size: 2_000_000, Quick: 1_000, InProgress: 1,
		run: func(e *Env, n int) { yieldTasks(e, 1, n) },
	}

	yields = []*Workload{Yield1000, YieldLone}
)

const yielders = 1_000

// yieldTasks starts tasks that yield the given number of times each, and waits for them.
func yieldTasks(e *Env, tasks, times int) {
	done, wait := e.tracked(tasks)
	task := func() {
		for range times {
			e.Pool.Yield()
		}
		e.count(times)
		if done != nil {
			done()
		}
	}
	submit(e, task, tasks)
	wait()
}
