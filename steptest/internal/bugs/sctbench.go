package bugs

import (
	"fmt"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// SCTBench are programs of the collection of that name, in which studies of controlled testing are made ("Concurrency Testing Using Controlled
// Schedulers: An Empirical Study", Thomson, Donaldson and Betts, TOPC 2016), beside those that are kernels already.
func SCTBench() []Program {
	const source = "SCTBench"
	all := []Program{
		{Name: "account", Source: source, Kind: "failure", Buggy: account(false), Fixed: account(true)},
		{Name: "arithmetic-progression", Source: source, Kind: "failure", Buggy: progression(false), Fixed: progression(true)},
		{Name: "carter01", Source: source, Kind: "deadlock", Buggy: carter(false), Fixed: carter(true)},
		{Name: "circular-buffer", Source: source, Kind: "failure", Buggy: circularBuffer(false), Fixed: circularBuffer(true)},
		{Name: "deadlock01", Source: source, Kind: "deadlock", Buggy: deadlock01(false), Fixed: deadlock01(true)},
		{Name: "fsbench", Source: source, Kind: "failure", Buggy: fsbench(false), Fixed: fsbench(true)},
		{Name: "lazy01", Source: source, Kind: "failure", Buggy: lazy01(false), Fixed: lazy01(true)},
		{Name: "phase01", Source: source, Kind: "deadlock", Buggy: phase01(false), Fixed: phase01(true)},
		{Name: "wronglock-1", Source: source, Kind: "failure", Buggy: wronglock(1, false), Fixed: wronglock(1, true)},
		{Name: "wronglock-3", Source: source, Kind: "failure", Buggy: wronglock(3, false), Fixed: wronglock(3, true)},
	}
	for n := 2; n <= 7; n++ {
		all = append(all, Program{Name: fmt.Sprintf("din-phil-%d", n), Source: source, Kind: "deadlock", Buggy: diners(n, false), Fixed: diners(n, true)})
	}
	for _, n := range []int{4, 5, 20, 100} {
		all = append(all, Program{
			Name: fmt.Sprintf("reorder-%d", n), Source: source, Kind: "failure", Buggy: reorder(n, false), Fixed: reorder(n, true),
			Cap: max(DefaultCap, 100*n),
		})
	}
	for _, n := range []int{2, 50, 100} {
		all = append(all, Program{
			Name: fmt.Sprintf("twostage-%d", n), Source: source, Kind: "failure", Buggy: twostage(n, false), Fixed: twostage(n, true),
			Cap: max(DefaultCap, 150*n), // the first of so many tasks has to be between its two stages
		})
	}
	return all
}

// account has an audit that is wrong about the sign of deposits, which shows only if it comes after both bookings. Mended, it is right.
func account(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		balance, booked := 100, 0
		book := func(sum int) func() {
			return func() {
				under(&mu, func() {
					balance += sum
					booked++
				})
			}
		}
		together(book(20), book(-30), func() {
			under(&mu, func() {
				want := 100 - 20 - 30
				if fixed {
					want = 100 + 20 - 30
				}
				if booked == 2 && balance != want {
					t.Errorf("balance %d, and not %d", balance, want)
				}
			})
		})
	}
}

// progression adds up numbers that are handed over one by one, and is one short in every schedule: whatever does not find this does not work at all. Mended, it
// is not.
func progression(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const n = 4
		var mu tasksync.Mutex
		empty, full := tasksync.NewCond(&mu), tasksync.NewCond(&mu)
		slot, sum := 0, 0
		last := n
		if !fixed {
			last--
		}
		together(func() {
			for i := 1; i <= last; i++ {
				mu.Lock()
				for slot != 0 {
					empty.Wait()
				}
				slot = i
				mu.Unlock()
				full.Signal()
			}
		}, func() {
			for range last {
				mu.Lock()
				for slot == 0 {
					full.Wait()
				}
				sum += slot
				slot = 0
				mu.Unlock()
				empty.Signal()
			}
		})
		if sum != n*(n+1)/2 {
			t.Errorf("the sum is %d", sum)
		}
	}
}

// carter has two groups of tasks, of which the first to come takes a room for its group and the last to go gives it back. One
// lock guards both groups' numbers, and is held while waiting for the room. Mended, each group has its own.
func carter(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var room, first, second tasksync.Mutex
		visit := func(mu *tasksync.Mutex, inside *int) func() {
			return func() {
				under(mu, func() {
					if *inside++; *inside == 1 {
						room.Lock()
					}
				})
				under(mu, func() {
					if *inside--; *inside == 0 {
						room.Unlock()
					}
				})
			}
		}
		other := &first
		if fixed {
			other = &second
		}
		a, b := 0, 0
		together(visit(&first, &a), visit(other, &b))
	}
}

// circularBuffer counts an element before it has written it. Mended, it does so afterwards.
func circularBuffer(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const n, size = 4, 2
		var ring [size]cell[int]
		var put, got cell[int]
		together(func() {
			for i := range n {
				if i-got.load() == size {
					return // full: the rest is dropped
				}
				if fixed {
					ring[i%size].store(i + 1)
					put.store(i + 1)
				} else {
					put.store(i + 1)
					ring[i%size].store(i + 1)
				}
			}
		}, func() {
			for i := range n {
				if put.load() == i {
					return
				}
				if v := ring[i%size].load(); v != i+1 {
					t.Errorf("element %d is %d", i+1, v)
				}
				got.store(i + 1)
			}
		})
	}
}

// deadlock01 takes two locks twice in a task, each time in its own order. Mended, all orders are the same.
func deadlock01(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var a, b tasksync.Mutex
		n := 0
		both := func(x, y *tasksync.Mutex) func() {
			return func() {
				for range 2 {
					under(x, func() { under(y, func() { n++ }) })
				}
			}
		}
		if fixed {
			together(both(&a, &b), both(&a, &b))
		} else {
			together(both(&a, &b), both(&b, &a))
		}
	}
}

// fsbench gives files blocks. It looks without a lock whether one is free, and locks it then. Mended, it looks again.
func fsbench(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const files, blocks = 3, 3
		var mu [blocks]tasksync.Mutex
		var busy [blocks]cell[bool]
		var owner [blocks]int
		create := func(file int) func() {
			return func() {
				for b := range blocks {
					if busy[b].load() {
						continue
					}
					mu[b].Lock()
					if fixed && busy[b].load() {
						mu[b].Unlock()
						continue
					}
					busy[b].store(true)
					owner[b]++
					mu[b].Unlock()
					return
				}
				t.Errorf("no block for file %d", file)
			}
		}
		together(create(0), create(1), create(2))
		for b, n := range owner {
			if n > 1 {
				t.Errorf("%d of %d files have block %d", n, files, b)
			}
		}
	}
}
