package bugs

import (
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// SCTBenchQueues are those of SCTBench in which one task hands things to another, and its shortened applications.
func SCTBenchQueues() []Program {
	const source = "SCTBench"
	return []Program{
		{Name: "queue", Source: source, Kind: "failure", Buggy: queueRounds(false), Fixed: queueRounds(true)},
		{Name: "stack", Source: source, Kind: "failure", Buggy: stack(false), Fixed: stack(true)},
		{Name: "sync01", Source: source, Kind: "deadlock", Buggy: sync01(false), Fixed: sync01(true)},
		{Name: "sync02", Source: source, Kind: "deadlock", Buggy: sync02(false), Fixed: sync02(true)},
		{Name: "token-ring", Source: source, Kind: "failure", Buggy: tokenRing(false), Fixed: tokenRing(true)},
		{Name: "stringbuffer", Source: "SCTBench; java.lang.StringBuffer of JDK 1.4", Kind: "panic", Buggy: stringBuffer(false), Fixed: stringBuffer(true)},
		{Name: "pbzip2", Source: "SCTBench; pbzip2 0.9.4", Kind: "panic", Buggy: pbzip2(false), Fixed: pbzip2(true)},
		{Name: "aget", Source: "SCTBench; aget 0.4", Kind: "failure", Buggy: aget(false), Fixed: aget(true)},
		{Name: "streamcluster-barrier", Source: "SCTBench; PARSEC", Kind: "deadlock", Buggy: barrier(false), Fixed: barrier(true)},
	}
}

// queueRounds has two tasks take turns at a queue, who both do nothing in a round in which it is not their turn. The one that takes compares
// with what was put in the round of its own number. Mended, it counts what it has taken.
func queueRounds(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const n = 4
		var mu tasksync.Mutex
		var put, queue []int
		taken := 0
		together(func() {
			for i := range n {
				under(&mu, func() {
					if len(queue) == 0 {
						put, queue = append(put, i), append(queue, i)
					}
				})
			}
		}, func() {
			for round := range n {
				under(&mu, func() {
					if len(queue) == 0 {
						return
					}
					at := round
					if fixed {
						at = taken
					}
					if at >= len(put) || put[at] != queue[0] {
						t.Errorf("element %d is %d", at, queue[0])
					}
					queue = nil
					taken++
				})
			}
		})
	}
}

// stack has a flag that says that there is something, which is set when something is pushed and never again cleared. Mended, the number is looked at.
func stack(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const n = 5
		var mu tasksync.Mutex
		depth, some := 0, false
		together(func() {
			for range n {
				under(&mu, func() {
					depth++
					some = true
				})
			}
		}, func() {
			for range n {
				under(&mu, func() {
					if !some || fixed && depth == 0 {
						return
					}
					if depth--; depth < 0 {
						t.Error("taken from an empty stack")
					}
				})
			}
		})
	}
}

// sync01 has two tasks who wait for each other by two conditions, and one wakes those of its own side. Mended, it wakes those of the other.
func sync01(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		empty, full := tasksync.NewCond(&mu), tasksync.NewCond(&mu)
		n := 1
		together(func() {
			mu.Lock()
			for n > 0 {
				empty.Wait()
			}
			n++
			mu.Unlock()
			full.Signal()
		}, func() {
			mu.Lock()
			for n == 0 {
				full.Wait()
			}
			n--
			mu.Unlock()
			if fixed {
				empty.Signal()
			} else {
				full.Signal()
			}
		})
	}
}

// sync02 looks before it takes the lock whether anybody has to be woken. Mended, it does so with the lock.
func sync02(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		const n = 3
		var mu tasksync.Mutex
		changed := tasksync.NewCond(&mu)
		var filled cell[bool]
		pass := func(to bool) func() {
			return func() {
				for range n {
					waits := filled.load() != to // then the other one may be waiting for this change
					mu.Lock()
					for filled.v == to {
						changed.Wait()
					}
					filled.v = to
					mu.Unlock()
					if fixed || waits {
						changed.Signal()
					}
				}
			}
		}
		together(pass(true), pass(false))
	}
}

// tokenRing has three tasks that pass a number on, once each, in any order, and one that believes it has gone round when all have.
// Mended, each waits for its turn.
func tokenRing(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		turn := tasksync.NewCond(&mu)
		x := [3]int{1, 2, 1}
		passed := 0
		pass := func(i int) func() {
			return func() {
				under(&mu, func() {
					for fixed && passed != i {
						turn.Wait()
					}
					if i == 0 {
						x[0] = x[2] + 1
					} else {
						x[i] = x[i-1]
					}
					passed++
					turn.Broadcast()
				})
			}
		}
		together(pass(0), pass(1), pass(2), func() {
			under(&mu, func() {
				if passed == 3 && (x[0] != x[1] || x[1] != x[2]) {
					t.Errorf("after a round: %v", x)
				}
			})
		})
	}
}
