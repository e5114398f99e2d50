package bugs

import (
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Kernels are those of the table in docs/steptest-table.md, by which strategies are compared.
func Kernels() []Program {
	const ours = "textbook"
	return []Program{
		{Name: "lost-update-2x1", Source: ours, Kind: "failure", Buggy: lostUpdate(1, false), Fixed: lostUpdate(1, true)},
		{Name: "lost-update-2x10", Source: ours, Kind: "failure", Buggy: lostUpdate(10, false), Fixed: lostUpdate(10, true)},
		{Name: "ab-ba", Source: ours, Kind: "deadlock", Buggy: abba(0, false), Fixed: abba(0, true)},
		{Name: "ab-ba-after-20", Source: ours, Kind: "deadlock", Buggy: abba(20, false), Fixed: abba(20, true)},
		{Name: "philosophers-3", Source: ours, Kind: "deadlock", Buggy: philosophers(3, false), Fixed: philosophers(3, true)},
		{Name: "philosophers-5", Source: ours, Kind: "deadlock", Buggy: philosophers(5, false), Fixed: philosophers(5, true)},
		{
			Name: "philosophers-8", Source: ours, Kind: "deadlock", Buggy: philosophers(8, false), Fixed: philosophers(8, true),
			Hard: "all of eight tasks have to be stopped after their first lock",
		},
		{Name: "buffer-2p1c", Source: "Cargill's bounded buffer", Kind: "deadlock", Buggy: buffer(2, 1, false), Fixed: buffer(2, 1, true)},
		{Name: "buffer-2p2c", Source: "Cargill's bounded buffer", Kind: "deadlock", Buggy: buffer(2, 2, false), Fixed: buffer(2, 2, true)},
		{Name: "reorder-3", Source: "SCTBench", Kind: "failure", Buggy: reorder(3, false), Fixed: reorder(3, true)},
		{Name: "reorder-10", Source: "SCTBench", Kind: "failure", Buggy: reorder(10, false), Fixed: reorder(10, true), Cap: 20_000},
		{
			Name: "reorder-50", Source: "SCTBench", Kind: "failure", Buggy: reorder(50, false), Fixed: reorder(50, true),
			Hard: "49 tasks that have begun are each to be stopped in one of two places, and one is not",
		},
		{Name: "twostage-10", Source: "SCTBench", Kind: "failure", Buggy: twostage(10, false), Fixed: twostage(10, true), Cap: 20_000},
		{Name: "bluetooth", Source: "KISS (Qadeer and Wu, PLDI 2004); SCTBench", Kind: "failure", Buggy: bluetooth(false), Fixed: bluetooth(true)},
		{Name: "late-store-25", Source: "textbook", Kind: "failure", Buggy: lateStore(25, false), Fixed: lateStore(25, true)},
		{Name: "lock-and-channel", Source: "GoKer, kubernetes 10182", Kind: "deadlock", Buggy: lockAndChannel(false), Fixed: lockAndChannel(true)},
		{Name: "double-close", Source: "textbook", Kind: "panic", Buggy: doubleClose(false), Fixed: doubleClose(true)},
	}
}

// lostUpdate has two tasks count to n in one variable. Mended, they do so under a lock.
func lostUpdate(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var c cell[int]
		count := func() {
			for range n {
				if fixed {
					mu.Lock()
				}
				c.store(c.load() + 1)
				if fixed {
					mu.Unlock()
				}
			}
		}
		together(count, count)
		if c.v != 2*n {
			t.Errorf("%d of %d updates are lost", 2*n-c.v, 2*n)
		}
	}
}

// abba takes two locks in opposite orders, in one task after some steps. Mended, the order is the same.
func abba(first int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var a, b tasksync.Mutex
		both := func(x, y *tasksync.Mutex) {
			x.Lock()
			y.Lock()
			y.Unlock()
			x.Unlock()
		}
		together(
			func() { work(t, first); both(&a, &b) },
			func() {
				if fixed {
					both(&a, &b)
				} else {
					both(&b, &a)
				}
			},
		)
	}
}

// philosophers each take the left fork first. Mended, one of them takes the right one first.
func philosophers(n int, fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		forks := make([]tasksync.Mutex, n)
		all := make([]func(), n)
		for i := range all {
			left, right := &forks[i], &forks[(i+1)%n]
			if fixed && i == n-1 {
				left, right = right, left
			}
			all[i] = func() {
				left.Lock()
				right.Lock()
				right.Unlock()
				left.Unlock()
			}
		}
		together(all...)
	}
}

// buffer has one slot, and one condition for both sides: Signal may wake one of the side that can't go on either, and
// then nobody is left who wakes the right one. Mended, all are woken.
func buffer(producers, consumers int, fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		changed := tasksync.NewCond(&mu)
		full := false
		set := func(to bool) {
			mu.Lock()
			for full == to {
				changed.Wait()
			}
			full = to
			if fixed {
				changed.Broadcast()
			} else {
				changed.Signal()
			}
			mu.Unlock()
		}
		put := func() {
			for range 2 * consumers {
				set(true)
			}
		}
		get := func() {
			for range 2 * producers {
				set(false)
			}
		}
		together(append(times(producers, put), times(consumers, get)...)...)
	}
}

// reorder has n-1 tasks that make two stores, and one that must not see the first of these without the second. Mended, the two, and the
// looks, are made under a lock.
func reorder(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var a, b cell[int]
		guarded := func(f func()) func() {
			return func() {
				if fixed {
					mu.Lock()
					defer mu.Unlock()
				}
				f()
			}
		}
		set := guarded(func() {
			a.store(1)
			b.store(-1)
		})
		check := guarded(func() {
			x, y := a.load(), b.load()
			if x != -y {
				t.Errorf("seen: %d and %d", x, y)
			}
		})
		together(times(n-1, set, check)...)
	}
}

// twostage is reorder with a lock for each of the two variables. Mended, the first one is kept until the second is done.
func twostage(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var first, second tasksync.Mutex
		one, two := 0, 0
		set := func() {
			first.Lock()
			one = 1
			if !fixed {
				first.Unlock()
			}
			second.Lock()
			two = one + 1
			second.Unlock()
			if fixed {
				first.Unlock()
			}
		}
		check := func() {
			first.Lock()
			x := one
			first.Unlock()
			if x == 0 {
				return
			}
			second.Lock()
			y := two
			second.Unlock()
			if y != x+1 {
				t.Errorf("seen: %d and %d", x, y)
			}
		}
		together(times(n-1, set, check)...)
	}
}

// bluetooth is a driver that is stopped while a request begins. The request looks whether the driver is stopping and is then counted; in between the count
// may have come to 0, and the driver has stopped. Mended, it is counted first.
func bluetooth(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		pending, stopping, stopped := cell[int]{1}, cell[bool]{}, cell[bool]{}
		idle := chans.New[struct{}](2)
		leave := func() {
			if add(&pending, -1) == 0 {
				_ = idle.Put(struct{}{})
			}
		}
		request := func() {
			if fixed {
				add(&pending, 1)
				defer leave()
			}
			if stopping.load() {
				return
			}
			if !fixed {
				add(&pending, 1)
				defer leave()
			}
			if stopped.load() {
				t.Error("a request in a driver that has stopped")
			}
		}
		together(request, func() {
			stopping.store(true)
			leave()
			_, _ = idle.Get()
			stopped.store(true)
		})
	}
}

// lateStore takes it for granted that one store comes before the end of n steps of another task. Mended, that task waits for it.
func lateStore(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var c cell[int]
		var ready tasksync.WaitGroup
		ready.Add(1)
		together(
			func() { c.store(1); ready.Done() },
			func() {
				work(t, n)
				if fixed {
					ready.Wait()
				}
				if c.load() == 0 {
					t.Error("not stored yet")
				}
			},
		)
	}
}

// lockAndChannel sends with a lock held that the receiver takes between two receives. Mended, it sends without.
func lockAndChannel(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		changes := chans.New[int](0)
		set := func() {
			mu.Lock()
			if fixed {
				mu.Unlock()
				_ = changes.Put(1)
				return
			}
			_ = changes.Put(1)
			mu.Unlock()
		}
		together(set, set, func() {
			for range 2 {
				_, _ = changes.Get()
				mu.Lock()
				mu.Unlock() //nolint:staticcheck // whatever it does there
			}
		})
	}
}

// doubleClose closes if nobody has closed yet, in two steps. Mended, it is one.
func doubleClose(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var closed cell[bool]
		c := chans.New[int](0)
		shut := func() {
			if fixed {
				if swapped(&closed, false, true) {
					c.Close()
				}
				return
			}
			if !closed.load() {
				c.Close()
				closed.store(true)
			}
		}
		together(shut, shut)
	}
}
