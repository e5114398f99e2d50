package workload

import "github.com/lockstep-go/lockstep/bench/rival"

// The rows in this file are round trips from an ordinary goroutine: a task is submitted, and what it returns is waited
// for.
var (
	// RoundTrip1 asks for one result after the other: latency.
	RoundTrip1 = &Workload{
		Name: "RoundTrip1", Title: "task with a result from outside, one at a time", Unit: "ns/task",
		Size: 10_000, Quick: 100, Variants: floatingVariant,
		run: func(e *Env, n int) { roundTrips(e, n, 1) },
	}
	// RoundTrip64 keeps 64 of them in flight, as a server behind a connection does.
	RoundTrip64 = &Workload{
		Name: "RoundTrip64", Title: "task with a result from outside, 64 in flight", Unit: "ns/task",
		Size: 100_000, Quick: 500, Variants: floatingVariant,
		run: func(e *Env, n int) { roundTrips(e, n, inFlight) },
	}

	results = []*Workload{RoundTrip1, RoundTrip64}
)

const inFlight = 64

// roundTrips asks n times, and waits for the oldest result when too many are on their way.
func roundTrips(e *Env, n, inFlight int) {
	ask := e.asker()
	pending := make([]rival.Result, inFlight)
	sum := int64(0)
	for i := range n + inFlight {
		at := i % inFlight
		if r := pending[at]; r != nil {
			sum += int64(r.Wait())
			pending[at] = nil
		}
		if i < n {
			pending[at] = ask(func() int { return i })
		}
	}
	verify(sum == int64(n)*int64(n-1)/2, "results are missing: their sum is %d", sum)
	e.count(n)
}

// asker returns the rival's own way to a result, or else the usual one: a channel with room for the answer, so that the
// task need not wait until somebody takes it.
func (e *Env) asker() func(f func() int) rival.Result {
	if own, ok := e.Pool.(rival.Asker); ok {
		return own.Ask
	}
	return func(f func() int) rival.Result {
		answer := make(channelResult, 1)
		e.Pool.Go(func() { answer <- f() })
		return answer
	}
}

type channelResult chan int

func (r channelResult) Wait() int { return <-r }
