package workload

import (
	"strconv"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// The rows in this file ask what a task that does nothing but yield costs those beside it. With the go statement
// there is one run queue, so for it the other queue and the same queue are the same measurement.
var (
	// Noise100Alone and Noise1000Alone are the baseline: tasks that each need 200 yields, and nothing else.
	Noise100Alone  = noiseRow(100, "Alone", "alone")
	Noise1000Alone = noiseRow(1000, "Alone", "alone")
	// Noise100Other and Noise1000Other have a task in another queue that yields in a loop.
	Noise100Other  = noiseRow(100, "Other", "beside a yielder in another queue")
	Noise1000Other = noiseRow(1000, "Other", "beside a yielder in another queue")
	// Noise100Same and Noise1000Same have that task in their own queue.
	Noise100Same  = noiseRow(100, "Same", "beside a yielder in the same queue")
	Noise1000Same = noiseRow(1000, "Same", "beside a yielder in the same queue")

	noise = []*Workload{
		Noise100Alone, Noise100Other, Noise100Same, Noise1000Alone, Noise1000Other, Noise1000Same,
	}
)

const (
	noiseYields = 200
	otherClass  = "other"
)

func noiseRow(width int, where, words string) *Workload {
	w := &Workload{
		Name:  "Noise" + strconv.Itoa(width) + where,
		Title: strconv.Itoa(width) + " tasks of 200 yields, " + words,
		Unit:  "ns/yield",
		Size:  2_000_000 / (width * noiseYields), Quick: 1, Ops: width * noiseYields,
		Only: []string{"go", rival.LockstepName}, InProgress: width + 1,
		Classes: []rival.Class{{Name: otherClass, Shares: 100}},
		run: func(e *Env, n int) {
			for range n {
				yieldTasks(e, width, noiseYields)
			}
		},
	}
	switch where {
	case "Other":
		w.setup = func(e *Env) func() { return yielder(e, func(f func()) { e.goIn(otherClass, f) }) }
	case "Same":
		w.setup = func(e *Env) func() { return yielder(e, e.Pool.Go) }
	}
	return w
}

// yielder starts a task that yields until it is stopped, and returns when it runs.
func yielder(e *Env, start func(func())) (stop func()) {
	var stopped atomic.Bool
	running, ended := make(chan struct{}), make(chan struct{})
	start(func() {
		defer close(ended)
		close(running)
		for !stopped.Load() {
			e.Pool.Yield()
		}
	})
	<-running
	return func() {
		stopped.Store(true)
		<-ended
	}
}
