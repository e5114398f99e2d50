package main

import (
	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

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

// The names of the Rust rivals that the targets are about.
const (
	tokioMulti   = "tokio multi_thread"
	tokioCurrent = "tokio current_thread"
	glommio      = "glommio"
	glommioQueue = "glommio queue"
)

// systemGoals are about the systems that the design comes from, and about whole programs.
func systemGoals() []goal {
	lockstep, floating := rival.LockstepName, rival.LockstepFloatingName
	gs := []goal{
		ratioGoal("spawn and join inside, against tokio multi_thread", 2,
			at(workload.SpawnWait, lockstep), at(workload.SpawnWait, tokioMulti)),
		ratioGoal("spawn and join inside, against glommio with a task queue", 2,
			at(workload.SpawnWait, lockstep), at(workload.SpawnWait, glommioQueue)),
		factorGoal("yield among 1,000 tasks, against tokio multi_thread", 2,
			at(workload.Yield1000, lockstep), at(workload.Yield1000, tokioMulti)),
		ratioGoal("blocking section of one look-up with the flag, against tokio's block_in_place", 4,
			at(workload.Sections1Block, lockstep), at(workload.Sections1Block, tokioMulti)),
		factorGoal("ping-pong from a worker, against tokio current_thread", 1.2,
			at(workload.PingPongInside, lockstep), at(workload.PingPongInside, tokioCurrent)),
		ratioGoal("ping-pong from outside, against tokio multi_thread", 2,
			at(workload.PingPongOutside, lockstep), at(workload.PingPongOutside, tokioMulti)),
		factorGoal("ping-pong from outside, floating, against the fastest pool", 1,
			at(workload.PingPongOutside, floating), fastest(workload.PingPongOutside, rival.Rival)),
		differenceGoal("need-yield test, over glommio's", 1, "ns",
			at(workload.NeedYield, lockstep), at(workload.NeedYield, glommio)),
		info("urgent p99 beside bulk that yields, without a spare P, against the fastest rival",
			atRow("LatencyYieldP99", lockstep), fastestIn("LatencyYieldP99", rival.Rival, rival.Statement)),
		factorGoal("urgent p99 beside bulk that yields, with a spare P, against the fastest rival", 1,
			atRow("LatencyYieldP99", rival.LockstepSpareName), fastestIn("LatencyYieldP99", rival.Rival, rival.Statement)),
		info("urgent p99 beside bulk that never yields, without a spare P, against go",
			atRow("LatencyNeverP99", lockstep), atRow("LatencyNeverP99", "go")),
		ratioGoal("urgent p99 beside bulk that never yields, with a spare P, against go", 20,
			atRow("LatencyNeverP99", rival.LockstepSpareName), atRow("LatencyNeverP99", "go")),
		factorGoal("message between two tasks of a worker, against glommio", 1,
			at(workload.LocalChannel1024, lockstep), at(workload.LocalChannel1024, glommio)),
		factorGoal("semaphore that eight tasks hold in turn, against glommio", 1,
			at(workload.SemaphoreContended, lockstep), at(workload.SemaphoreContended, glommio)),
		factorGoal("ring between two threads, against glommio", 1,
			at(workload.SPSC1024, lockstep), at(workload.SPSC1024, glommio)),
		// What the process itself does, with timers of ants among it, is in the go statement's column.
		differenceGoal("idle pool, CPU, over the process's own", 0.05, "%", at(workload.Idle, lockstep), at(workload.Idle, "go")),
		differenceGoal("idle pool, wake-ups, over the process's own", 10, "a second",
			atRow("IdleWakes", lockstep), atRow("IdleWakes", "go")),
		factorGoal("spawn with 16 workers against one", 1.5, at(workload.Scale16, lockstep), at(workload.Scale1, lockstep)),
	}
	for _, program := range workload.Programs() {
		gs = append(gs,
			factorGoal(program.Title+", against go", 1, at(program, lockstep), at(program, "go")),
			factorGoal(program.Title+", its memory", 1, atRow(program.Name+"Memory", lockstep), atRow(program.Name+"Memory", "go")))
	}
	return gs
}
