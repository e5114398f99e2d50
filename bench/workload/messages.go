package workload

import (
	"context"
	"fmt"
	"sync"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/chans"
)

// The rows in this file are streams of messages, beside the same in Rust. "Local" is between two tasks of one worker,
// "shared" between tasks of two. The go statement takes part with Go's own channels and knows no workers, so for it
// both are the same.
var (
	// LocalChannelAlone is one task that sends and receives in turn.
	LocalChannelAlone = &Workload{
		Name: "LocalChannelAlone", Title: "message that one task sends and receives", Unit: "ns/message",
		Size: 2_000_000, Quick: 1_000, Only: statementAndLockstep, Workers: 1,
		run: func(e *Env, n int) {
			e.in(func() {
				line := e.Pool.NewLine(channelCapacity)
				for i := range n {
					line.Put(i)
					v, ok := line.Get()
					if !ok || v != i {
						fail("the message %d instead of %d", v, i)
					}
				}
				e.count(n)
			})
		},
	}
	LocalChannel1     = streamRow("LocalChannel1", "two tasks of a worker", 1, false)
	LocalChannel1024  = streamRow("LocalChannel1024", "two tasks of a worker", channelCapacity, false)
	SharedChannel1    = streamRow("SharedChannel1", "two workers", 1, true)
	SharedChannel1024 = streamRow("SharedChannel1024", "two workers", channelCapacity, true)

	// SPSCAlone and SPSC1024 are lockstep's ring, pushed and popped in one task, and between two workers.
	SPSCAlone = insideCall("SPSCAlone", "ring, push and pop in one thread", 20_000_000, func(n int) {
		ring := chans.NewSPSC[int](channelCapacity)
		for i := range n {
			ring.TryPush(i)
			v, ok := ring.TryPop()
			if !ok || v != i {
				fail("the message %d instead of %d", v, i)
			}
		}
	}).unit("ns/message")
	SPSC1024 = &Workload{
		Name: "SPSC1024", Title: "ring of 1,024 between two threads", Unit: "ns/message",
		Size: 3_000_000, Quick: 10_000, Only: onlyLockstep, Workers: 2, run: ringStream,
	}
	// Sharded sends messages from a task to the shards in turn, one shard a worker.
	Sharded = &Workload{
		Name: "Sharded", Title: "message to one shard a worker in turn, handled there", Unit: "ns/message",
		Size: 300_000, Quick: 1_000, Only: onlyLockstep, run: shardedStream,
	}

	messages = []*Workload{
		LocalChannelAlone, LocalChannel1, LocalChannel1024, SharedChannel1, SharedChannel1024, SPSCAlone, SPSC1024, Sharded,
	}
)

// channelCapacity is what a channel or ring holds where nothing is said about it.
const channelCapacity = 1_024

var statementAndLockstep = []string{"go", rival.LockstepName}

func streamRow(name, who string, capacity int, shared bool) *Workload {
	w := &Workload{
		Name: name, Title: fmt.Sprintf("message between %s, capacity %d", who, capacity), Unit: "ns/message",
		Size: 1_000_000, Quick: 1_000, Only: statementAndLockstep, Workers: 1,
	}
	if capacity == 1 {
		w.Size = 200_000
	}
	if shared {
		w.Workers = 2
	}
	w.run = func(e *Env, n int) {
		line := e.Pool.NewLine(capacity)
		got := 0
		send := func() {
			for i := range n {
				line.Put(i)
			}
			line.Close()
		}
		receive := func() {
			for v, ok := line.Get(); ok; v, ok = line.Get() {
				if v != got {
					fail("the message %d instead of %d", v, got)
				}
				got++
			}
		}
		if shared {
			apart(e, send, receive)
		} else {
			together(e, send, receive)
		}
		e.count(got)
	}
	return w
}

// together runs two functions as tasks, on one worker if there is only one, and returns when both have ended.
func together(e *Env, fs ...func()) {
	var ended sync.WaitGroup
	for _, f := range fs {
		ended.Add(1)
		e.Pool.Go(func() {
			defer ended.Done()
			f()
		})
	}
	ended.Wait()
}

// apart runs each function as a task on a worker of its own, where there are such things.
func apart(e *Env, fs ...func()) {
	native, ok := e.Pool.(rival.Native)
	if !ok {
		together(e, fs...)
		return
	}
	pool := native.Lockstep()
	places, err := lockstep.NewSharded(pool.TaskQueue(lockstep.DefaultQueue), func(int) struct{} { return struct{}{} }, nil)
	verify(err == nil && places.Shards() >= len(fs), "%d shards are not to be had: %v", len(fs), err)
	for i, f := range fs {
		places.Send(i, func(struct{}) { f() })
	}
	verify(places.Close() == nil, "the shards do not close")
}

func ringStream(e *Env, n int) {
	ctx := context.Background()
	ring := chans.NewSPSC[int](channelCapacity)
	apart(e, func() {
		for i := range n {
			if err := ring.Push(ctx, i); err != nil {
				fail("the ring refused a message: %v", err)
			}
		}
	}, func() {
		for i := range n {
			v, err := ring.Pop(ctx)
			if err != nil || v != i {
				fail("the message %d instead of %d: %v", v, i, err)
			}
		}
	})
	e.count(n)
}

func shardedStream(e *Env, n int) {
	pool := e.Pool.(rival.Native).Lockstep()
	var mu sync.Mutex
	handled := 0
	shards, err := lockstep.NewSharded(pool.TaskQueue(lockstep.DefaultQueue), func(int) *int { return new(int) }, func(own *int) {
		mu.Lock()
		defer mu.Unlock()
		handled += *own
	})
	verify(err == nil, "shards: %v", err)
	message := func(own *int) { *own++ }
	e.in(func() {
		for i := range n {
			shards.Send(i%shards.Shards(), message)
		}
	})
	verify(shards.Close() == nil, "the shards do not close")
	verify(handled == n, "%d messages instead of %d", handled, n)
	e.count(n)
}
