package bugs

import (
	"time"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Services are shapes of faults in the parts that servers are made of. They are longer than the others, and few of their steps matter.
func Services() []Program {
	const source = "server parts"
	return []Program{
		{Name: "transfers-one-out-of-order", Source: source, Kind: "deadlock", Buggy: transfers(false), Fixed: transfers(true)},
		{Name: "submit-against-close", Source: source, Kind: "failure", Buggy: submitAgainstClose(false), Fixed: submitAgainstClose(true)},
		{Name: "pipeline-left-early", Source: source, Kind: "leak", Buggy: pipeline(false), Fixed: pipeline(true)},
		{Name: "lease-two-leaders", Source: source, Kind: "failure", Buggy: lease(false), Fixed: lease(true)},
		{Name: "watch-after-list", Source: source, Kind: "failure", Buggy: watchGap(false), Fixed: watchGap(true)},
		{Name: "batch-sent-twice", Source: source, Kind: "failure", Buggy: batch(false), Fixed: batch(true)},
	}
}

// transfers has four tasks move money between six accounts, whose locks they take in the order of the numbers, but for one transfer of one of them. Mended, that
// one keeps to it as well.
func transfers(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		const accounts, clients, each = 6, 4, 8
		var mu [accounts]tasksync.Mutex
		client := func(c int) func() {
			return func() {
				for i := range each {
					from, to := (c+i)%accounts, (c+3*i+1)%accounts
					if from == to {
						to = (to + 1) % accounts
					}
					first, second := min(from, to), max(from, to)
					if !fixed && c == 2 && i == 5 {
						first, second = second, first
					}
					under(&mu[first], func() { under(&mu[second], func() {}) })
				}
			}
		}
		together(client(0), client(1), client(2), client(3))
	}
}

// submitAgainstClose looks whether a pool is open and then adds to its queue, which the last worker may have left meanwhile: nobody will ever do that.
// Mended, both are done under the lock.
func submitAgainstClose(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		work := tasksync.NewCond(&mu)
		closed, accepted, done, queue := false, 0, 0, 0
		worker := func() {
			mu.Lock()
			for {
				for queue == 0 && !closed {
					work.Wait()
				}
				if queue == 0 {
					break
				}
				queue--
				mu.Unlock()
				t.Point("works")
				mu.Lock()
				done++
			}
			mu.Unlock()
		}
		submit := func() {
			for range 3 {
				mu.Lock()
				if closed {
					mu.Unlock()
					return
				}
				if !fixed {
					mu.Unlock()
					mu.Lock()
				}
				accepted++
				queue++
				mu.Unlock()
				work.Signal()
			}
		}
		together(worker, worker, submit, submit, func() {
			under(&mu, func() { closed = true })
			work.Broadcast()
		})
		if done != accepted {
			t.Errorf("%d were accepted, and %d done", accepted, done)
		}
	}
}

// pipeline has three stages, and whoever reads from the last one stops at the first bad value. Then the others wait for somebody who takes what they have. Mended,
// they are told.
func pipeline(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		stop := done()
		send := func(c *chans.Chan[int], v int) bool {
			if fixed {
				return sel(chans.Send(c, v, nil), chans.Recv(stop, nil)) == 0
			}
			return c.Put(v) == nil
		}
		first, second := chans.New[int](1), chans.New[int](1)
		lockstep.Go(func() {
			defer first.Close()
			for i := range 5 {
				if !send(first, i) {
					return
				}
			}
		})
		lockstep.Go(func() {
			defer second.Close()
			for v := range first.All(bg) {
				if !send(second, v) {
					return
				}
			}
		})
		for range second.All(bg) {
			if t.Maybe(0.1) {
				break
			}
		}
		stop.Close()
	}
}

// lease makes who has it the leader for some time. Before it writes the leader looks whether it still has the lease, and by the time it writes another may
// have got it and written. Mended, the store refuses what comes with an old lease's number.
func lease(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const long = 10 * time.Millisecond
		var mu tasksync.Mutex
		number, until, newest := 0, t.Now(), 0
		write := func(mine int) {
			under(&mu, func() {
				switch {
				case mine >= newest:
					newest = mine
				case !fixed:
					t.Errorf("leader %d writes after leader %d", mine, newest)
				}
			})
		}
		candidate := func() {
			mine := 0
			for mine == 0 {
				under(&mu, func() {
					if !t.Now().Before(until) {
						number++
						mine, until = number, t.Now().Add(long)
					}
				})
				if mine == 0 {
					_ = lockstep.Sleep(bg, long)
				}
			}
			for range 3 {
				valid := false
				under(&mu, func() { valid = mine == number && t.Now().Before(until) })
				if !valid {
					return
				}
				t.Point("prepares what it writes")
				if t.Maybe(0.2) {
					_ = lockstep.Sleep(bg, long) // a collection of garbage, say
				}
				write(mine)
			}
		}
		together(candidate, candidate)
	}
}

// watchGap lists what there is and then asks to be told of changes, and misses those in between. Mended, it asks first.
func watchGap(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const n = 3
		var mu tasksync.Mutex
		var watcher *chans.Chan[int]
		stored, seen := 0, 0
		changes := chans.New[int](n)
		watch := func() { under(&mu, func() { watcher = changes }) }
		together(func() {
			for i := range n {
				under(&mu, func() {
					stored = i + 1
					if watcher != nil {
						_ = watcher.Put(stored)
					}
				})
			}
		}, func() {
			if fixed {
				watch()
			}
			under(&mu, func() { seen = stored })
			if !fixed {
				watch()
			}
		})
		for changes.Len() > 0 {
			v, _ := changes.Get()
			seen = max(seen, v)
		}
		if seen != n {
			t.Errorf("%d is stored, and seen is %d", n, seen)
		}
	}
}

// batch collects what is to be sent until there is enough or a time is over. Both happen at once, and the one that comes second sends again what the first
// has not yet taken away. Mended, it is taken away under the lock.
func batch(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const n = 4
		var mu tasksync.Mutex
		var waiting []int
		var sent [n]int
		flush := func() {
			var now []int
			mu.Lock()
			now = append(now, waiting...)
			if fixed {
				waiting = waiting[len(now):]
			}
			mu.Unlock()
			for _, v := range now {
				if sent[v]++; sent[v] > 1 {
					t.Errorf("%d is sent twice", v)
				}
			}
			if !fixed {
				under(&mu, func() { waiting = waiting[len(now):] })
			}
		}
		timer := lockstep.AfterFunc(time.Millisecond, flush)
		defer timer.Stop()
		add := func(from int) func() {
			return func() {
				for v := from; v < from+n/2; v++ {
					full := false
					under(&mu, func() {
						waiting = append(waiting, v)
						full = len(waiting) >= 3
					})
					if full {
						flush()
					}
					_ = lockstep.Sleep(bg, time.Millisecond)
				}
			}
		}
		together(add(0), add(n/2))
	}
}
