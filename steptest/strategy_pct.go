package steptest

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lockstep-go/lockstep/pool"
)

// PCT returns probabilistic concurrency testing ("A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", Burckhardt, Kothari,
// Musuvathi and Nagarakatte, ASPLOS 2010) for bugs of the given depth, at least 1: how many orderings of two steps it takes to make them happen.
//
// Each task has a random priority, the highest that can goes on, and after depth-1 random steps the one that made it falls below all others. One
// schedule finds a bug of the depth with at least the probability that [PCTBound] says.
//
// Two things are not as in the paper. Falls are among the steps with something that tasks share: after one that is nobody else's business a fall does
// what it would have done before. And in half of the schedules they come early, each at one of the first 1, 2, 4 and so on
// steps with the same probability: most bugs show at the first meeting of the tasks as well as at a later one.
//
// A task that yields falls below all others too, and so does one that goes on for much longer than the earlier run took. Else one that
// spins until another has done something would spin for ever.
func PCT(depth int) Strategy { return &pct{depth: max(depth, 1)} }

// PCTBound returns the least probability with which one schedule of [PCT] finds a bug of that depth in a program of so many tasks and
// steps (Program.Shared, if that is not 0): 1/(2 * tasks * steps^(depth-1)), since half of the schedules are those of the paper; without the
// 2 for depth 1, where there are no falls. It holds as far as the numbers are those of every schedule.
func PCTBound(depth, tasks, steps int) float64 {
	bound := 1 / float64(max(tasks, 1))
	if depth > 1 {
		bound /= 2 * math.Pow(float64(max(steps, 1)), float64(depth-1))
	}
	return bound
}

type pct struct {
	chance
	depth   int
	counted counted
	step    int
	falls   []int // after which steps
	low     int64 // the lowest priority that a yield has had so far; falls have those from -1 down to 1-depth
	tasks   perTask[ranked]
	streak  streak
}

// ranked is a task's priority.
type ranked struct {
	priority int64 // above 0 until it falls; 0 if it has none yet
	yield    int   // the steps that the task had made when it last fell for a yield
}

// Name implements Strategy.
func (p *pct) Name() string { return fmt.Sprintf("pct%d", p.depth) }

// Begin implements Strategy.
func (p *pct) Begin(s *Schedule) bool {
	p.draw(s)
	p.step, p.low = 0, int64(1-p.depth)
	p.counted = p.counts(&s.Program)
	p.falls = p.falls[:0]
	early := p.below(2) == 0
	for range p.depth - 1 {
		n := max(p.counted.steps(&s.Program), 1)
		if early {
			n = min(n, 1<<p.below(bits.Len(uint(n))+1))
		}
		p.falls = append(p.falls, p.below(n))
	}
	p.tasks.forget()
	p.streak.begin(&s.Program)
	return true
}

// Next implements Strategy.
func (p *pct) Next(enabled []*Task, _ int) int {
	best, most := 0, int64(math.MinInt64)
	for i, t := range enabled {
		if x := p.priority(t); x > most {
			best, most = i, x
		}
	}
	if p.counted.step(enabled[best]) {
		for i, at := range p.falls {
			if at == p.step { // a later fall may be less deep than an earlier one: what has fallen has an order, too
				x := p.tasks.of(enabled[best])
				x.priority = min(x.priority, int64(-1-i))
			}
		}
		p.step++
	}
	if len(enabled) > 1 && p.streak.step(enabled[best]) {
		p.low--
		p.tasks.of(enabled[best]).priority = p.low
	}
	return best
}

func (p *pct) priority(t *Task) int64 {
	x := p.tasks.of(t)
	if x.priority == 0 {
		x.priority = int64(p.rand.Uint64()>>2) + 1
	}
	if t.Op == pool.OpYield && x.yield != t.Steps {
		x.yield = t.Steps
		p.low--
		x.priority = p.low
	}
	return x.priority
}

// End implements Strategy.
func (*pct) End() {}
