package main

import (
	"fmt"
	"io"
	"math"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

// goal is a line of the table of what lockstep has to reach.
type goal struct {
	what string
	// most is the greatest value that counts as reached. Zero means that there is no target: the line is there
	// because the number belongs beside the others.
	most float64
	// target and unit are how most is written.
	target, unit string
	// measure returns the value and how it came about; ok is false when the rows it needs were not run.
	measure func(*Report) (value float64, from string, ok bool)
}

// verdict is a goal after measuring.
type verdict struct {
	What, Target, Measured, From, Result string
}

// nothing is what an allocation-free operation may show: queues and stacks that grow are allocated too, a few for
// thousands of tasks, and go test itself rounds such fractions down.
const nothing = 0.05

func goals() []goal {
	lockstep := rival.LockstepName
	return []goal{
		ratioGoal("task spawned inside the pool and run, against a go statement + WaitGroup one by one", 8,
			at(workload.InsideDrain, lockstep), at(workload.InsideOne, "go")),
		info("the same, lockstep's tasks one by one too", at(workload.InsideOne, lockstep), at(workload.InsideOne, "go")),
		info("the same, with a handle that is waited for", at(workload.SpawnWait, lockstep), at(workload.InsideOne, "go")),
		ratioGoal("task from outside, one producer, against the fastest pool", 2,
			at(workload.Outside1, lockstep), fastest(workload.Outside1, rival.Rival)),
		ratioGoal("task from outside, one producer, against go", 6, at(workload.Outside1, lockstep), at(workload.Outside1, "go")),
		ratioGoal("task from outside, eight producers, against the fastest pool", 2,
			at(workload.Outside8, lockstep), fastest(workload.Outside8, rival.Rival)),
		ratioGoal("task from outside, eight producers, against go", 8, at(workload.Outside8, lockstep), at(workload.Outside8, "go")),
		ratioGoal("batch of 256, submit and wait, against the fastest pool", 2,
			at(workload.Batch256, lockstep), fastest(workload.Batch256, rival.Rival)),
		ratioGoal("task tree, against the fastest pool", 4,
			at(workload.Tree16, lockstep), fastest(workload.Tree16, rival.Rival)),
		allocGoal("allocations, Go(func) from outside", workload.Outside1),
		allocGoal("allocations, Go(func) inside", workload.InsideDrain),
		valueGoal("memory per queued Go(func), from outside", 24, "B", at(workload.Memory, lockstep)),
		valueGoal("memory per queued Go(func), inside", 24, "B", at(workload.MemoryInside, lockstep)),
		ratioGoal("yield among 1,000 tasks, against the fastest rival", 2,
			at(workload.Yield1000, lockstep), fastest(workload.Yield1000, rival.Rival, rival.Statement)),
		valueGoal("yield alone in the pool", 20, "ns", at(workload.YieldLone, lockstep)),
		valueGoal("YieldIfNeeded, not needed", 6, "ns", at(workload.YieldIfNeeded, lockstep)),
		differenceGoal("BlockInPlace, flag off, over the direct call", 10, "ns",
			at(workload.BlockOff, lockstep), at(workload.DirectCall, lockstep)),
		difference("the same with a capturing closure", "ns",
			at(workload.BlockOffClosure, lockstep), at(workload.DirectCall, lockstep)),
		factorGoal("declared task queue against the default one, inside", 1.2,
			at(workload.InsideDrain, rival.LockstepQueueName), at(workload.InsideDrain, lockstep)),
		factorGoal("declared task queue against the default one, from outside", 1.2,
			at(workload.Outside1, rival.LockstepQueueName), at(workload.Outside1, lockstep)),
		noiseGoal("100 tasks, yielder in another queue", workload.Noise100Other, workload.Noise100Alone),
		noiseGoal("100 tasks, yielder in the same queue", workload.Noise100Same, workload.Noise100Alone),
		noiseGoal("1,000 tasks, yielder in another queue", workload.Noise1000Other, workload.Noise1000Alone),
		noiseGoal("1,000 tasks, yielder in the same queue", workload.Noise1000Same, workload.Noise1000Alone),
	}
}

// reach evaluates every goal.
func (r *Report) reach() []verdict {
	var vs []verdict
	for _, g := range goals() {
		v := verdict{What: g.what, Target: g.target, Measured: "—", Result: "not run"}
		if value, from, ok := g.measure(r); ok {
			v.Measured, v.From = number(value)+" "+g.unit, from
			if g.unit == "" {
				v.Measured = times(value)
			}
			v.Result = result(value, g.most)
		}
		vs = append(vs, v)
	}
	return append(vs, r.sharesVerdict())
}

func result(value, most float64) string {
	switch {
	case most == 0:
		return "no target"
	case math.IsNaN(value):
		return "not run"
	case value <= most:
		return "met"
	}
	return "**missed**"
}

func (r *Report) reachTable(w io.Writer) {
	fmt.Fprintf(w, "### To reach\n\n")
	tableHead(w, []string{"what", "at most", "measured", "from", "result"})
	for _, v := range r.reach() {
		tableRow(w, []string{v.What, v.Target, v.Measured, v.From, v.Result})
	}
	fmt.Fprintf(w, "\nMeasured elsewhere: the cost of the reentrancy detector, which needs two builds, and latency and throughput "+
		"under mixed load, which is `examples/mixedload`.\n\n")
}
