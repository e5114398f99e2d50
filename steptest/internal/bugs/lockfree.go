package bugs

import (
	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// LockFree are mistakes in code that does without locks, or makes its own, and in what is commonly built upon them.
func LockFree() []Program {
	const source = "textbook"
	return []Program{
		{Name: "singleflight-forget", Source: "golang.org/x/sync/singleflight", Kind: "failure", Buggy: singleflight(false), Fixed: singleflight(true)},
		{Name: "lost-wakeup", Source: source, Kind: "deadlock", Buggy: lostWakeup(false), Fixed: lostWakeup(true)},
		{Name: "free-list-aba", Source: source, Kind: "failure", Buggy: freeList(false), Fixed: freeList(true)},
		{Name: "peterson-turn-first", Source: "Peterson's lock", Kind: "failure", Buggy: peterson(false), Fixed: peterson(true), Cap: 2000},
		{Name: "spin-on-lost-store", Source: source, Kind: "livelock", Buggy: spin(false), Fixed: spin(true), Steps: 2000},
		{Name: "polite-livelock", Source: source, Kind: "livelock", Buggy: polite(false), Fixed: polite(true), Steps: 500},
		{Name: "cache-filled-twice", Source: source, Kind: "failure", Buggy: cacheTwice(false), Fixed: cacheTwice(true)},
		{Name: "refcount-revived", Source: source, Kind: "failure", Buggy: refcount(false), Fixed: refcount(true)},
		{Name: "seqlock-torn-read", Source: source, Kind: "failure", Buggy: seqlock(false), Fixed: seqlock(true)},
	}
}

// singleflight joins calls for the same key. Forget lets the next call begin anew while one is under way, and the end of that one then
// removes the new one from the table. Mended, it looks whether what it removes is its own.
func singleflight(fixed bool) func(*steptest.T) {
	type call struct {
		done      tasksync.WaitGroup
		forgotten bool
	}
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var current *call
		do := func() {
			mu.Lock()
			if c := current; c != nil {
				mu.Unlock()
				c.done.Wait()
				return
			}
			c := &call{}
			c.done.Add(1)
			current = c
			mu.Unlock()
			t.Point("asks the server")
			under(&mu, func() {
				if current != c && !c.forgotten {
					t.Error("a call is under way, nobody has forgotten it, and others do not join it")
				}
				if !fixed || current == c {
					current = nil
				}
			})
			c.done.Done()
		}
		together(do, do, func() {
			under(&mu, func() {
				if current != nil {
					current.forgotten = true
					current = nil
				}
			})
		})
	}
}

// lostWakeup looks at the flag without the lock and then waits for the condition: the signal may come in between. Mended, it looks with the lock.
func lostWakeup(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		ready := tasksync.NewCond(&mu)
		var flag cell[bool]
		together(func() {
			if fixed {
				mu.Lock()
				for !flag.load() {
					ready.Wait()
				}
				mu.Unlock()
				return
			}
			if !flag.load() {
				mu.Lock()
				ready.Wait()
				mu.Unlock()
			}
		}, func() {
			under(&mu, func() { flag.store(true) })
			ready.Signal()
		})
	}
}

// freeList takes nodes off a list by compare-and-swap of the first one's number, which is the same again if that node was taken, and given back after another
// one was taken: then the second one is on the list although somebody has it. Mended, each change has a number of its own.
func freeList(fixed bool) func(*steptest.T) {
	type top struct{ node, version int }
	return func(t *steptest.T) {
		const none = -1
		next := [3]cell[int]{{1}, {2}, {none}}
		head := cell[top]{}
		var owners [3]int
		replace := func(from top, node int) bool {
			to := top{node: node}
			if fixed {
				to.version = from.version + 1
			}
			return swapped(&head, from, to)
		}
		pop := func() int {
			for {
				h := head.load()
				if h.node == none {
					return none
				}
				if replace(h, next[h.node].load()) {
					if owners[h.node]++; owners[h.node] > 1 {
						t.Errorf("node %d is taken twice", h.node)
					}
					return h.node
				}
			}
		}
		push := func(n int) {
			owners[n]--
			for {
				h := head.load()
				next[n].store(h.node)
				if replace(h, n) {
					return
				}
			}
		}
		together(func() {
			_, _ = pop(), pop()
		}, func() {
			if a := pop(); a != none {
				_ = pop()
				push(a)
			}
		})
	}
}

// peterson is a lock for two that gives way before it says that it wants in, which is the wrong order. Mended, it is the right one.
func peterson(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var wants [2]cell[bool]
		var turn cell[int]
		inside := 0
		enter := func(me int) func() {
			return func() {
				if fixed {
					wants[me].store(true)
					turn.store(1 - me)
				} else {
					turn.store(1 - me)
					wants[me].store(true)
				}
				for wants[1-me].load() && turn.load() == 1-me {
					lockstep.Yield()
				}
				if inside++; inside > 1 {
					t.Error("both are in")
				}
				t.Point("is in")
				inside--
				wants[me].store(false)
			}
		}
		together(enter(0), enter(1))
	}
}

// spin waits in a loop for a bit that was set in two steps, so that another bit's setting may undo it. Mended, it is one.
func spin(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var bits cell[int]
		set := func(b int) func() {
			return func() {
				if fixed {
					bits.update(func(v int) int { return v | b })
				} else {
					bits.store(bits.load() | b)
				}
			}
		}
		together(set(1), set(2), func() {
			for bits.load() != 3 {
				lockstep.Yield()
			}
		})
	}
}

// polite has two tasks that take one lock, try for the other, and give everything back if they can't have it, whereupon both begin again at the same
// time, for ever if they keep step. Mended, both begin with the same lock. What finds it is that the second half of a
// schedule that does not end is one in which all tasks take turns.
func polite(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var a, b tasksync.Mutex
		both := func(x, y *tasksync.Mutex) func() {
			return func() {
				for {
					x.Lock()
					if y.TryLock() {
						y.Unlock()
						x.Unlock()
						return
					}
					x.Unlock()
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
