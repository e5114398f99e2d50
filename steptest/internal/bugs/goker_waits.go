package bugs

import (
	"context"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// GoKerWaits are those of GoBench in which somebody waits for what will not come: an answer that nobody listens for, an end that waits for itself, a
// context that is not cancelled.
func GoKerWaits() []Program {
	const source = "GoKer"
	return []Program{
		{Name: "moby-33293", Source: source, Kind: "leak", Buggy: moby33293(false), Fixed: moby33293(true)},
		{Name: "cockroach-1055", Source: source, Kind: "deadlock", Buggy: cockroach1055(false), Fixed: cockroach1055(true)},
		{Name: "cockroach-1462", Source: source, Kind: "deadlock", Buggy: cockroach1462(false), Fixed: cockroach1462(true)},
		{Name: "cockroach-13197", Source: source, Kind: "leak", Buggy: cockroach13197(false), Fixed: cockroach13197(true)},
		{Name: "grpc-660", Source: source, Kind: "leak", Buggy: grpc660(false), Fixed: grpc660(true)},
		{Name: "serving-2137", Source: source, Kind: "deadlock", Buggy: serving2137(false), Fixed: serving2137(true)},
		{Name: "syncthing-5795", Source: source, Kind: "deadlock", Buggy: syncthing5795(false), Fixed: syncthing5795(true)},
	}
}

// moby33293 has a task that sends an error to who waits for a container, who may have left because the container has ended. Mended, the channel has room for it.
func moby33293(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		room := 0
		if fixed {
			room = 1
		}
		failed, ended := chans.New[int](room), done()
		lockstep.Go(func() { _ = failed.Put(1) })
		lockstep.Go(ended.Close)
		sel(chans.Recv(failed, nil), chans.Recv(ended, nil))
	}
}

// cockroach1055 stops workers and waits for them under a lock that they take to begin a task. Mended, it unlocks before.
func cockroach1055(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		var workers tasksync.WaitGroup
		stop := done()
		stopping, begun := false, 0
		begin := func() (ok bool) {
			under(&mu, func() {
				if ok = !stopping; ok {
					begun++
				}
			})
			return ok
		}
		for range 3 {
			workers.Go(func() {
				if begin() {
					_, _ = stop.Get()
				}
			})
		}
		mu.Lock()
		stopping = true
		stop.Close()
		if fixed {
			mu.Unlock()
		}
		workers.Wait()
		if !fixed {
			mu.Unlock()
		}
	}
}

// cockroach1462 has a worker that sends events to another one. When they are told to stop, the second may be gone before the first has sent.
// Mended, the sender listens too.
func cockroach1462(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var workers tasksync.WaitGroup
		events, stop := chans.New[int](0), done()
		workers.Go(func() {
			for i := range 2 {
				if !fixed {
					_ = events.Put(i)
				} else if sel(chans.Send(events, i, nil), chans.Recv(stop, nil)) == 1 {
					return
				}
			}
		})
		workers.Go(func() {
			for range 2 {
				if sel(chans.Recv(events, nil), chans.Recv(stop, nil)) == 1 {
					return
				}
			}
		})
		stop.Close()
		workers.Wait()
	}
}

// cockroach13197 begins a transaction, whose end a task waits for, and returns without ending it when the statement can't be prepared. Mended, it ends in any case.
func cockroach13197(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		never := chans.New[int](0)
		transaction := func() (ok bool) {
			ctx, cancel := context.WithCancel(bg)
			if fixed {
				defer cancel()
			}
			lockstep.Go(func() { _, _ = never.Receive(ctx) })
			if t.Maybe(0.1) {
				_ = cancel // go vet asks for its use on all paths, for this very reason
				return false
			}
			cancel()
			return true
		}
		transaction()
	}
}

// grpc660 measures until the time is over. The tasks that make calls look whether it is before each call, and then send how long it took, which nobody
// may receive any more. Mended, they look then too.
func grpc660(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		times, stop := chans.New[int](0), done()
		for range 2 {
			lockstep.Go(func() {
				for sel(chans.Recv(stop, nil), chans.Default(nil)) == 1 {
					if !fixed {
						_ = times.Put(1)
					} else if sel(chans.Send(times, 1, nil), chans.Recv(stop, nil)) == 1 {
						return
					}
				}
			})
		}
		for range 3 {
			_, _ = times.Get()
		}
		stop.Close()
	}
}

// serving2137 is a test that lets requests go on in the order in which they were made, and waits for each, where only one is let in and that may be the later
// one. Mended, it lets both go on before it waits.
func serving2137(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		places := tasksync.NewSemaphore(1)
		var held [2]tasksync.Mutex
		answered := [2]*chans.Chan[int]{chans.New[int](1), chans.New[int](1)}
		for i := range 2 {
			held[i].Lock()
			lockstep.Go(func() {
				_ = places.Acquire(bg, 1)
				under(&held[i], func() {})
				places.Release(1)
				_ = answered[i].Put(1)
			})
		}
		held[0].Unlock()
		if fixed {
			held[1].Unlock()
		}
		_, _ = answered[0].Get()
		if !fixed {
			held[1].Unlock()
		}
		_, _ = answered[1].Get()
	}
}

// syncthing5795 closes a connection and waits until its loop has ended. After a message that makes no sense the loop itself closes it. Mended, it has
// another task do so.
func syncthing5795(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var once tasksync.Once
		messages, closed, ended := chans.New[bool](1), done(), done()
		shut := func() {
			once.Do(func() {
				closed.Close()
				_, _ = ended.Get()
			})
		}
		loop := func() {
			defer ended.Close()
			for {
				ok := true
				if sel(chans.Recv(messages, func(v, _ bool) { ok = v }), chans.Recv(closed, nil)) == 1 {
					return
				}
				if !ok && fixed {
					lockstep.Go(shut)
				} else if !ok {
					shut()
				}
			}
		}
		together(loop, shut, func() {
			_ = messages.TrySend(true)
			_ = messages.TrySend(false)
		})
	}
}
