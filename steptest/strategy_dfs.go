package steptest

import (
	"fmt"

	"github.com/lockstep-go/lockstep/pool"
)

// DFS is a depth-first search over all schedules: of which task goes on at each step, and over all other choices. It bounds the preemptions, which
// are the steps at which another task goes on although the last one could and did not yield, as CHESS does ("Iterative Context Bounding for
// Systematic Testing of Multithreaded Programs", Musuvathi and Qadeer, PLDI 2007): most bugs need very few, and the number of schedules
// is a polynomial in the steps if the bound is fixed, whereas it is exponential without.
//
// The memory that it needs is as the length of a schedule. For that price it runs schedules with fewer preemptions than the bound again when it
// raises that: only by running one it learns where one more preemption would have a place. [DFS.Again] tells them.
//
// Which worker takes a task is not tried out, but takes turns: it would multiply the schedules by the number of workers for each task, while
// very few programs care. [DFS.BranchWorkers] changes that.
type DFS struct {
	most    int
	workers bool // are tried out
	bound   int
	turn    int // the worker's

	path   []node // the choices of the schedule, with two tasks or more to choose from
	depth  int    // how many of them have been made
	used   int    // preemptions among these
	round  int    // of tasks that yield, see spinner
	rounds perTask[int]
	streak streak
	begun  bool
	again  bool

	pruned   bool   // something was left out at this bound
	skipped  string // what was left out at every bound, if anything was
	complete bool
	count    int
	counts   []int // for each bound
}

// node is a choice in the path.
type node struct {
	taken, n int32 // the number in the order in which they are tried, and how many there are
}

// Bounded returns a search that tries the schedules without preemptions first, then those with one, and so on up to most. If
// most is negative there is no limit, and it ends when it has tried everything.
func Bounded(most int) *DFS { return &DFS{most: most} }

// BranchWorkers has it try out which worker takes a task, too, and returns it.
func (d *DFS) BranchWorkers() *DFS {
	d.workers = true
	return d
}

// Name implements Strategy.
func (d *DFS) Name() string {
	if d.most < 0 {
		return "dfs"
	}
	return fmt.Sprintf("dfs:%d", d.most)
}

// Begin implements Strategy. It returns false when the search is complete.
func (d *DFS) Begin(s *Schedule) bool {
	if d.complete {
		return false
	}
	if d.begun && !d.advance() {
		d.complete = true
		return false
	}
	d.begun = true
	d.depth, d.used, d.turn, d.round = 0, 0, 0, 0
	d.rounds.forget()
	d.streak.begin(&s.Program)
	return true
}

// advance prepares the path of the next schedule: the last choice in it that has another answer gets that.
func (d *DFS) advance() bool {
	for n := len(d.path); n > 0; n-- {
		if x := &d.path[n-1]; x.taken+1 < x.n {
			x.taken++
			d.path = d.path[:n]
			return true
		}
	}
	d.path = d.path[:0]
	if !d.pruned {
		return false
	}
	if d.most >= 0 && d.bound >= d.most {
		d.skipped = "more preemptions"
		return false
	}
	d.bound++
	d.pruned = false
	return true
}

// Next implements Strategy.
func (d *DFS) Next(enabled []*Task, at int) int {
	n := len(enabled)
	switch {
	case n == 1:
		return 0
	case enabled[0].Op == pool.OpYield && allYield(enabled):
		return d.spinner(enabled)
	case at < 0:
		return d.choose(n)
	case d.streak.step(enabled[at]):
		d.skipped = "longer loops" // from which nothing is to be learned
		return (at + 1) % n
	case d.used >= d.bound:
		d.pruned = true
		return at
	}
	k := d.choose(n)
	if k == 0 {
		return at
	}
	d.used++
	if k <= at { // the others in the order of their IDs
		return k - 1
	}
	return k
}

func allYield(enabled []*Task) bool {
	for _, t := range enabled {
		if t.Op != pool.OpYield && t.ID >= 0 {
			return false
		}
	}
	return true
}

// spinner chooses where every task that could go on has yielded. They go on in rounds, in which
// each has one turn, and what is tried out is the order in a round: where some spin until another one has done something, there are schedules without an
// end, and nothing is to be learned from these (fair search in CHESS: Musuvathi and Qadeer, PLDI 2008). The passing of time takes part.
func (d *DFS) spinner(enabled []*Task) int {
	round := max(*d.rounds.of(enabled[0]), d.round)
	for _, t := range enabled[1:] {
		round = min(round, max(*d.rounds.of(t), d.round))
	}
	d.round = round
	n := 0
	for _, t := range enabled {
		if *d.rounds.of(t) <= round {
			n++
		}
	}
	k := 0
	if n > 1 {
		k = d.choose(n)
	}
	for i, t := range enabled {
		x := d.rounds.of(t)
		if *x > round {
			continue
		}
		if k--; k < 0 {
			*x = round + 1
			return i
		}
	}
	return 0
}

// Decide implements Strategy.
func (d *DFS) Decide(what Choice, n int) int {
	if what == pool.ChoiceWorker && !d.workers {
		d.skipped = "the choice of workers"
		d.turn++
		return (d.turn - 1) % n
	}
	return d.choose(n)
}

// choose makes a choice out of n: that of the path, or, at its end, the first one.
func (d *DFS) choose(n int) int {
	if d.depth == len(d.path) {
		d.path = append(d.path, node{n: int32(n)})
	}
	x := &d.path[d.depth]
	d.depth++
	return int(min(x.taken, int32(n)-1)) // a program that depends on something else may have fewer now
}

// End implements Strategy.
func (d *DFS) End() {
	for len(d.counts) <= d.bound {
		d.counts = append(d.counts, 0)
	}
	if d.again = d.used < d.bound; !d.again {
		d.counts[d.bound]++
		d.count++
	}
}

// Again reports whether the schedule that has ended was one that had been tried before, with a smaller bound.
func (d *DFS) Again() bool { return d.again }

// Count returns how many different schedules have been tried.
func (d *DFS) Count() int { return d.count }

// Counts returns how many there were with each number of preemptions.
func (d *DFS) Counts() []int { return d.counts }

// Complete reports whether all schedules up to the bound have been tried.
func (d *DFS) Complete() bool { return d.complete }

// Exhausted reports whether all schedules at all have been tried: it is complete, and neither the bound nor anything else has left one out.
func (d *DFS) Exhausted() bool { return d.complete && d.skipped == "" }

// String says how far the search has come.
func (d *DFS) String() string {
	switch {
	case d.Exhausted():
		return fmt.Sprintf("complete: all schedules (%d)", d.count)
	case d.complete && d.most < 0:
		return fmt.Sprintf("complete: all schedules but for %s (%d)", d.skipped, d.count)
	case d.complete:
		return fmt.Sprintf("complete: all schedules with at most %s (%d)", preemptions(d.most), d.count)
	case d.bound == 0:
		return fmt.Sprintf("not complete: %d schedules with no preemption", d.count)
	}
	return fmt.Sprintf("complete for at most %s; %d schedules", preemptions(d.bound-1), d.count)
}

func preemptions(n int) string {
	if n == 1 {
		return "1 preemption"
	}
	return fmt.Sprintf("%d preemptions", n)
}
