package bugs

import (
	"fmt"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Depths are faults with a given number of things that must happen in one order, which is how the depth of a fault is defined ("A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", Burckhardt and others, ASPLOS 2010). They measure how even a strategy is.
func Depths() []Program {
	var all []Program
	for i, most := range []int{DefaultCap, 20_000, 100_000} {
		depth := i + 1
		all = append(all, Program{
			Name: fmt.Sprintf("needle-%d", depth), Source: "after PCT", Kind: "failure", Buggy: needle(depth, false), Fixed: needle(depth, true),
			Cap: most,
		})
	}
	return all
}

// needle has one task count to 20 and another one look at the count as many times as the fault is deep, which fails if it sees just those numbers that
// divide the count evenly: one in C(20+depth, depth) interleavings. Mended, all of the counting is done under a lock, and so is all of the looking.
func needle(depth int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const n = 20
		var mu tasksync.Mutex
		var c cell[int]
		whole := func(f func()) func() {
			return func() {
				if fixed {
					mu.Lock()
					defer mu.Unlock()
				}
				f()
			}
		}
		together(whole(func() {
			for i := range n {
				c.store(i + 1)
			}
		}), whole(func() {
			hits := 0
			for i := range depth {
				if c.load() == (i+1)*n/(depth+1) {
					hits++
				}
			}
			if hits == depth {
				t.Errorf("all %d looks have hit", depth)
			}
		}))
	}
}
