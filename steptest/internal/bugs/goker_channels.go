package bugs

import (
	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// GoKerChannels are those of GoBench in which somebody waits for a channel with a lock that the one at its other end needs. Kubernetes
// 10182 is a kernel.
func GoKerChannels() []Program {
	const source = "GoKer"
	return []Program{
		{Name: "kubernetes-1321", Source: source, Kind: "deadlock", Buggy: kubernetes1321(false), Fixed: kubernetes1321(true)},
		{Name: "kubernetes-6632", Source: source, Kind: "deadlock", Buggy: kubernetes6632(false), Fixed: kubernetes6632(true)},
		{Name: "moby-28462", Source: source, Kind: "deadlock", Buggy: moby28462(false), Fixed: moby28462(true)},
		{Name: "etcd-7443", Source: source, Kind: "deadlock", Buggy: etcd7443(false), Fixed: etcd7443(true)},
		{Name: "etcd-7492", Source: source, Kind: "deadlock", Buggy: etcd7492(false), Fixed: etcd7492(true)},
		{Name: "grpc-1460", Source: source, Kind: "deadlock", Buggy: grpc1460(false), Fixed: grpc1460(true)},
		{Name: "istio-16224", Source: source, Kind: "deadlock", Buggy: istio16224(false), Fixed: istio16224(true)},
		{Name: "cockroach-35931", Source: source, Kind: "deadlock", Buggy: cockroach35931(false), Fixed: cockroach35931(true)},
	}
}

// sel is a select without a context.
func sel(cases ...chans.Case) int {
	i, _ := chans.Select(bg, cases...)
	return i
}

// done is a channel that is only ever closed.
func done() *chans.Chan[struct{}] { return chans.New[struct{}](0) }

// kubernetes1321 sends an event to a watcher under the lock of the list of watchers; one that stops, and does not receive any more, takes itself off the list.
// Mended, it first says that it stops, and the sender listens to that too.
func kubernetes1321(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		listed := true
		events, stopped := chans.New[int](0), done()
		together(func() {
			for i := range 2 {
				under(&mu, func() {
					if !listed {
						return
					}
					if fixed {
						sel(chans.Send(events, i, nil), chans.Recv(stopped, nil))
					} else {
						_ = events.Put(i)
					}
				})
			}
		}, func() {
			_, _ = events.Get()
			stopped.Close()
			under(&mu, func() { listed = false })
		})
	}
}

// kubernetes6632 has a writer that tells a monitor, under a lock, that the connection is not idle. When the connection is closed the monitor
// takes the lock to say that it does not listen any more. Mended, it goes on listening until it has said so.
func kubernetes6632(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		closed, reset := done(), chans.New[int](0)
		listens := true
		write := func() {
			for range 2 {
				under(&mu, func() {
					if listens {
						_ = reset.Put(1)
					}
				})
			}
		}
		monitor := func() {
			for sel(chans.Recv(reset, nil), chans.Recv(closed, nil)) == 0 {
			}
			if fixed {
				lockstep.Go(func() {
					for range reset.All(bg) {
					}
				})
			}
			under(&mu, func() {
				listens = false
				reset.Close()
			})
		}
		together(write, monitor, closed.Close)
	}
}

// moby28462 stops the health check of a container with the container's lock held, and waits until that is heard. Whoever checks takes the lock to
// write down what came of it. Mended, nobody waits.
func moby28462(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		stop := done()
		healthy := 0
		monitor := func() {
			for range 3 {
				if sel(chans.Recv(stop, nil), chans.Default(nil)) == 0 {
					return
				}
				under(&mu, func() { healthy++ })
			}
			_, _ = stop.Get()
		}
		together(monitor, func() {
			under(&mu, func() {
				if fixed {
					stop.Close()
				} else {
					_ = stop.Put(struct{}{})
				}
			})
		})
	}
}

// etcd7443 waits, under the lock of a balancer that is closed, until its loop has ended, and the loop takes the lock when an address comes up.
// Mended, it unlocks before it waits.
func etcd7443(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		up, stop, ended := chans.New[int](1), done(), done()
		address := 0
		loop := func() {
			defer ended.Close()
			for sel(chans.Recv(up, nil), chans.Recv(stop, nil)) == 0 {
				under(&mu, func() { address++ })
			}
		}
		together(loop, func() { _ = up.TrySend(1) }, func() {
			mu.Lock()
			stop.Close()
			if fixed {
				mu.Unlock()
			}
			_, _ = ended.Get()
			if !fixed {
				mu.Unlock()
			}
		})
	}
}
