package bugs

import (
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// GoKerLocks have the shapes of faults in well-known Go programs, as GoBench lists them ("GoBench: A Benchmark Suite of Real-World Go Concurrency
// Bugs", Yuan and others, CGO 2021): those with locks alone. The names are the project and the number of the change that mended it.
func GoKerLocks() []Program {
	const source = "GoKer"
	return []Program{
		{Name: "kubernetes-30872", Source: source, Kind: "deadlock", Buggy: kubernetes30872(false), Fixed: kubernetes30872(true)},
		{Name: "kubernetes-62464", Source: source, Kind: "deadlock", Buggy: kubernetes62464(false), Fixed: kubernetes62464(true)},
		{Name: "moby-4951", Source: source, Kind: "deadlock", Buggy: moby4951(false), Fixed: moby4951(true)},
		{Name: "moby-7559", Source: source, Kind: "deadlock", Buggy: moby7559(false), Fixed: moby7559(true)},
		{Name: "etcd-10492", Source: source, Kind: "deadlock", Buggy: etcd10492(false), Fixed: etcd10492(true)},
		{Name: "cockroach-10214", Source: source, Kind: "deadlock", Buggy: cockroach10214(false), Fixed: cockroach10214(true)},
		{Name: "cockroach-16167", Source: source, Kind: "deadlock", Buggy: cockroach16167(false), Fixed: cockroach16167(true)},
		{Name: "grpc-795", Source: source, Kind: "deadlock", Buggy: grpc795(false), Fixed: grpc795(true)},
	}
}

// kubernetes30872 has three parts, each with a lock, that call one another in a circle: the list of clusters, an informer, and who delivers. Mended,
// the deliverer calls without its lock.
func kubernetes30872(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var clusters, informer, deliverer tasksync.Mutex
		addCluster := func() { under(&clusters, func() { under(&informer, func() {}) }) }
		resync := func() { under(&informer, func() { under(&deliverer, func() {}) }) }
		deliver := func() {
			if fixed {
				under(&deliverer, func() {})
				under(&clusters, func() {})
			} else {
				under(&deliverer, func() { under(&clusters, func() {}) })
			}
		}
		together(addCluster, resync, deliver)
	}
}

// kubernetes62464 reads with the lock for reading held and calls a method that takes it for reading again; a writer may have come in between, for whom
// the second one waits. Mended, that does not take it.
func kubernetes62464(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.RWMutex
		sets, standard := map[string]int{}, 1
		get := func(name string) (int, bool) {
			if !fixed {
				mu.RLock()
				defer mu.RUnlock()
			}
			n, ok := sets[name]
			return n, ok
		}
		getOrStandard := func() {
			mu.RLock()
			defer mu.RUnlock()
			if _, ok := get("c"); !ok {
				_ = standard
			}
		}
		together(getOrStandard, func() {
			mu.Lock()
			sets["c"] = 2
			mu.Unlock()
		})
	}
}

// moby4951 removes a device under the locks of the set of devices and of the device, and lets go of the first one for a while,
// as waiting with it held would be bad. When it takes it again, it has the second one. Mended, it lets go of both.
func moby4951(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var set, device tasksync.Mutex
		remove := func() {
			set.Lock()
			device.Lock()
			set.Unlock()
			if fixed {
				device.Unlock()
			}
			t.Point("waits for the kernel")
			set.Lock()
			if fixed {
				device.Lock()
			}
			device.Unlock()
			set.Unlock()
		}
		mount := func() { under(&set, func() { under(&device, func() {}) }) }
		together(remove, mount)
	}
}

// moby7559 goes on with the next datagram of a proxy when one can't be passed on, and does not unlock then. Mended, it does.
func moby7559(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		connections := 0
		for range 2 {
			mu.Lock()
			if t.Maybe(0.1) {
				if fixed {
					mu.Unlock()
				}
				continue
			}
			connections++
			mu.Unlock()
		}
		together(func() { under(&mu, func() { connections = 0 }) })
	}
}

// etcd10492 calls, with the lock held, a function given by the user of a lease, which calls a method that takes the lock. It does so only while the server
// is the first among equals. Mended, the lock is not held.
func etcd10492(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		primary, remaining := false, 10
		checkpoint := func() { under(&mu, func() { remaining-- }) }
		promote := func() { under(&mu, func() { primary = true }) }
		renew := func() {
			mu.Lock()
			due := primary && remaining > 0
			if due && !fixed {
				checkpoint()
			}
			mu.Unlock()
			if due && fixed {
				checkpoint()
			}
		}
		together(promote, renew)
	}
}

// cockroach10214 sends heartbeats together under a lock, and reports those that failed to their replicas, each of which has a lock, under
// which it adds a heartbeat. Mended, it reports without.
func cockroach10214(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var beats tasksync.Mutex
		var replicas [2]struct {
			mu     tasksync.Mutex
			failed int
		}
		queued := []int{0}
		send := func() {
			var failed []int
			beats.Lock()
			failed, queued = queued, nil
			if fixed {
				beats.Unlock()
			}
			for _, i := range failed {
				r := &replicas[i]
				under(&r.mu, func() { r.failed++ })
			}
			if !fixed {
				beats.Unlock()
			}
		}
		tick := func(i int) func() {
			return func() {
				under(&replicas[i].mu, func() {
					under(&beats, func() { queued = append(queued, i) })
				})
			}
		}
		together(send, tick(0), tick(1), send)
	}
}

// cockroach16167 holds the lock of the configuration for reading while it runs a statement, the planning of which takes it for reading again while a writer
// may wait. The writer comes three times. Mended, planning gets what the statement has.
func cockroach16167(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.RWMutex
		cache := 0
		plan := func() int {
			if fixed {
				return cache
			}
			mu.RLock()
			defer mu.RUnlock()
			return cache
		}
		statement := func() {
			mu.RLock()
			defer mu.RUnlock()
			_ = plan()
		}
		update := func() {
			for range 3 {
				mu.Lock()
				cache++
				mu.Unlock()
			}
		}
		together(update, statement, statement)
	}
}

// grpc795 returns with the lock held when a server is stopped that nobody is connected to. Mended, it unlocks.
func grpc795(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		connections := 0
		stop := func() {
			mu.Lock()
			if connections == 0 {
				if fixed {
					mu.Unlock()
				}
				return
			}
			connections = 0
			mu.Unlock()
		}
		connect := func() { under(&mu, func() { connections++ }) }
		together(connect, stop)
	}
}
