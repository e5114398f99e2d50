package bugs

import (
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
		{Name: "philosophers-8", Source: ours, Kind: "deadlock", Buggy: philosophers(8, false), Fixed: philosophers(8, true)},
		{Name: "buffer-2p1c", Source: "Cargill's bounded buffer", Kind: "deadlock", Buggy: buffer(2, 1, false), Fixed: buffer(2, 1, true)},
		{Name: "buffer-2p2c", Source: "Cargill's bounded buffer", Kind: "deadlock", Buggy: buffer(2, 2, false), Fixed: buffer(2, 2, true)},
		{Name: "reorder-3", Source: "SCTBench", Kind: "failure", Buggy: reorder(3, false), Fixed: reorder(3, true)},
		{Name: "reorder-10", Source: "SCTBench", Kind: "failure", Buggy: reorder(10, false), Fixed: reorder(10, true)},
		{Name: "reorder-50", Source: "SCTBench", Kind: "failure", Buggy: reorder(50, false), Fixed: reorder(50, true), Cap: 5000},
		{Name: "twostage-10", Source: "SCTBench", Kind: "failure", Buggy: twostage(10, false), Fixed: twostage(10, true), Cap: 2000},
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
		both := func(x, y *tasksync.Mutex) { under(x, func() { under(y, func() {}) }) }
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
			all[i] = func() { under(left, func() { under(right, func() {}) }) }
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
