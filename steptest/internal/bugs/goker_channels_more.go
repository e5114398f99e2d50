package bugs

import (
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// etcd7492 hands new tokens to their keeper under the lock of the tokens, which the keeper takes to delete old ones, at a tick. The channel
// has room for one. Mended, they are handed over without.
func etcd7492(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		added, tick, stop := chans.New[int](1), chans.New[int](1), done()
		tokens := 0
		keep := func() {
			for {
				switch sel(chans.Recv(added, nil), chans.Recv(tick, nil), chans.Recv(stop, nil)) {
				case 1:
					under(&mu, func() { tokens-- })
				case 2:
					return
				}
			}
		}
		assign := func() {
			mu.Lock()
			tokens++
			if fixed {
				mu.Unlock()
			}
			_ = added.Put(tokens)
			if !fixed {
				mu.Unlock()
			}
		}
		var keeper tasksync.WaitGroup
		keeper.Go(keep)
		together(assign, assign, assign, func() { _ = tick.TrySend(1) })
		stop.Close()
		keeper.Wait()
	}
}

// grpc1460 has a task that looks after a connection, and sleeps while there are no streams: with the lock held that the first stream takes before it
// wakes it. Mended, it sleeps without.
func grpc1460(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		awake := chans.New[int](1)
		streams, asleep := 0, false
		look := func() {
			mu.Lock()
			if streams > 0 {
				mu.Unlock()
				return
			}
			asleep = true
			if fixed {
				mu.Unlock()
			}
			_, _ = awake.Get()
			if !fixed {
				mu.Unlock()
			}
		}
		open := func() {
			under(&mu, func() {
				streams++
				if asleep {
					_ = awake.Put(1)
				}
			})
		}
		together(look, open)
	}
}

// istio16224 makes changes with a lock held that those who are told of them take, too. The channel between them takes the first ones. Mended, it does
// not hold it.
func istio16224(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		const n = 3
		var mu tasksync.Mutex
		events := chans.New[int](1)
		seen := 0
		together(func() {
			if !fixed {
				mu.Lock()
				defer mu.Unlock()
			}
			for i := range n {
				_ = events.Put(i)
			}
		}, func() {
			for range n {
				_, _ = events.Get()
				under(&mu, func() { seen++ })
			}
		})
	}
}

// cockroach35931 tells the receivers of a flow that it has timed out, under the lock of the list of flows. The channel of one is full, and who is to empty it
// is about to look for the flow. Mended, they are told after unlocking.
func cockroach35931(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var flows tasksync.Mutex
		rows := chans.New[int](1)
		timeOut := func() {
			flows.Lock()
			if fixed {
				flows.Unlock()
			}
			_ = rows.Put(-1)
			if !fixed {
				flows.Unlock()
			}
		}
		produce := func() { _ = rows.Put(1) }
		consume := func() {
			under(&flows, func() {})
			_, _ = rows.Get()
			_, _ = rows.Get()
		}
		together(produce, timeOut, consume)
	}
}
