package workload

import (
	"runtime"
	"time"

	"go.uber.org/atomic"
)

// The rows in this file are bytes: what a task costs while it waits for its turn. All tasks are one ready-made
// function value, so a closure of the caller's comes on top of the result.
var (
	// Memory queues a million tasks from outside behind one that holds the only worker.
	Memory = &Workload{
		Name: "Memory", Title: "memory per queued task, from outside", Unit: "B/task",
		Size: million, Quick: 20_000, fewer: million / 10, NeedsQueue: true, Workers: 1,
		value: queuedOutside,
	}
	// MemoryInside queues them from inside the task that holds the worker, so they never pass between threads.
	MemoryInside = &Workload{
		Name: "MemoryInside", Title: "memory per queued task, spawned inside", Unit: "B/task",
		Size: million, Quick: 20_000, fewer: million / 10, NeedsQueue: true, Workers: 1,
		value: queuedInside,
	}

	// MemoryParked has a million tasks that have started and wait on a channel for something that does not come.
	MemoryParked = &Workload{
		Name: "MemoryParked", Title: "memory per parked task", Unit: "B/task",
		Size: affordable(million, parkedBytes), Quick: 5_000, fewer: million / 10, parks: true, InProgress: million + 1,
		value: parked,
	}

	memory = []*Workload{Memory, MemoryInside, MemoryParked}
)

// queuedOutside holds the worker with a task that blocks at a gate. The queued tasks block at the same gate: for
// rivals without a queue that is what waiting means, and in a pool that notices the held worker and lets another
// thread start some of its tasks, only those few start.
func queuedOutside(e *Env, n int) float64 {
	gate, holding := make(chan struct{}), make(chan struct{})
	done, wait := e.tracked(n + 1)
	task, arrived := gated(e, gate, done)
	e.Pool.Go(func() {
		close(holding)
		<-gate
		if done != nil {
			done()
		}
	})
	<-holding
	grown := growth(func() { queueAndSettle(e, task, arrived, n) })
	close(gate)
	wait()
	return grown / float64(n)
}

// queuedInside holds the worker by running on it.
func queuedInside(e *Env, n int) float64 {
	gate := make(chan struct{})
	done, wait := e.tracked(n + 1)
	task, arrived := gated(e, gate, done)
	var grown float64
	e.Pool.Go(func() {
		grown = growth(func() { queueAndSettle(e, task, arrived, n) })
		if done != nil {
			done()
		}
		close(gate)
	})
	wait()
	return grown / float64(n)
}

// parkedBytes is what a parked task may take with any rival, and then some, so that the row does not drive a small
// machine into its swap.
const parkedBytes = 10 << 10

// parked starts n tasks that wait on one channel, which is closed at last.
func parked(e *Env, n int) float64 {
	gate := e.Pool.NewLine(0)
	done, wait := e.tracked(n)
	arrived := new(atomic.Int64)
	task := func() {
		arrived.Inc()
		gate.Get()
		e.count(1)
		if done != nil {
			done()
		}
	}
	grown := growth(func() {
		submit(e, task, n)
		for arrived.Load() < int64(n) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond) // the last to arrive have not parked yet
	})
	gate.Close()
	wait()
	return grown / float64(n)
}

// gated returns the task that is queued, and the number of times it has been started.
func gated(e *Env, gate chan struct{}, done func()) (task func(), arrived *atomic.Int64) {
	arrived = new(atomic.Int64)
	return func() {
		arrived.Inc()
		<-gate
		e.count(1)
		if done != nil {
			done()
		}
	}, arrived
}

// queueAndSettle queues n tasks. Where each is a goroutine it waits until all of them stand at the gate, because a
// goroutine that has not parked yet is cheaper than one that has.
func queueAndSettle(e *Env, task func(), arrived *atomic.Int64, n int) {
	submit(e, task, n)
	for e.Entry.GoroutineEach && arrived.Load() < int64(n) {
		time.Sleep(time.Millisecond)
	}
}

// growth returns how many bytes of heap and stacks more are in use after f than before.
func growth(f func()) float64 {
	before := inUse()
	f()
	return float64(inUse()) - float64(before)
}

// inUse collects twice, because what a sync.Pool holds survives the first collection.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
