package workload

import (
	"context"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/chans"
)

// The rows in this file are conversations over two channels of capacity one: the loop puts a value, the other task
// sends it back. They differ in what the loop is.
//
// From outside, the loop is an ordinary goroutine, and each half of a round trip has to wake a thread that sleeps: the
// worker's for the question, another one for the answer. From inside, the loop is a task and both are on one worker, so
// a round trip is two switches. A program that converses with its tasks all the time is therefore better off inside,
// and so is a benchmark: call b.Loop within Pool.Run, as README.md shows.
var (
	// PingPongOutside has the loop in an ordinary goroutine.
	PingPongOutside = &Workload{
		Name: "PingPongOutside", Title: "round trip over two channels, the loop outside of any task", Unit: "ns/round trip",
		Size: 10_000, Quick: 50, InProgress: 2, Variants: floatingVariant,
		run: pingPong,
	}
	// PingPongInside has the loop in a task.
	PingPongInside = &Workload{
		Name: "PingPongInside", Title: "round trip over two channels, the loop in a task", Unit: "ns/round trip",
		Size: 100_000, Quick: 200, InProgress: 3, Variants: floatingVariant,
		run: func(e *Env, n int) { e.in(func() { pingPong(e, n) }) },
	}

	// AskOutside and AskInside are requests to an actor, each with a place for its answer.
	AskOutside = &Workload{
		Name: "AskOutside", Title: "request over a channel, answer over a oneshot, the loop outside", Unit: "ns/round trip",
		Size: 10_000, Quick: 50, Only: statementAndLockstep, Variants: floatingVariant,
		run: asks,
	}
	AskInside = &Workload{
		Name: "AskInside", Title: "request over a channel, answer over a oneshot, the loop in a task", Unit: "ns/round trip",
		Size: 100_000, Quick: 200, Only: statementAndLockstep, Variants: floatingVariant,
		run: func(e *Env, n int) { e.in(func() { asks(e, n) }) },
	}

	pingpong = []*Workload{PingPongOutside, PingPongInside, AskOutside, AskInside}
)

// asks is the loop that sends requests. With the go statement the answer comes over a channel made for it.
func asks(e *Env, n int) {
	if _, ok := e.Pool.(rival.Native); ok {
		asksOneshot(e, n)
	} else {
		asksNative(e, n)
	}
	e.count(n)
}

func asksOneshot(e *Env, n int) {
	requests := chans.New[*chans.Oneshot[int]](1)
	e.Pool.Go(func() {
		answers := 0
		for answer, ok := requests.Get(); ok; answer, ok = requests.Get() {
			answers++
			answer.Send(answers)
		}
	})
	ctx := context.Background()
	for i := range n {
		answer := new(chans.Oneshot[int])
		err := requests.Put(answer)
		if err != nil {
			fail("the actor does not listen: %v", err)
		}
		v, err := answer.Receive(ctx)
		if err != nil || v != i+1 {
			fail("the answer %d to request %d: %v", v, i+1, err)
		}
	}
	requests.Close()
}

func asksNative(e *Env, n int) {
	requests := make(chan chan int, 1)
	e.Pool.Go(func() {
		answers := 0
		for answer := range requests {
			answers++
			answer <- answers
		}
	})
	for i := range n {
		answer := make(chan int, 1)
		requests <- answer
		v := <-answer
		if v != i+1 {
			fail("the answer %d to request %d", v, i+1)
		}
	}
	close(requests)
}

// pingPong is the loop.
func pingPong(e *Env, n int) {
	there, back := e.Pool.NewLine(1), e.Pool.NewLine(1)
	e.Pool.Go(func() {
		defer back.Close()
		for v, ok := there.Get(); ok; v, ok = there.Get() {
			back.Put(v)
		}
	})
	for i := range n {
		there.Put(i)
		v, ok := back.Get()
		if !ok || v != i {
			fail("the answer to %d is %d", i, v)
		}
	}
	there.Close()
	_, more := back.Get()
	verify(!more, "an answer without a question")
	e.count(n)
}
