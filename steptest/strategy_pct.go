package steptest

import (
	"fmt"
	"math"

	"github.com/lockstep-go/lockstep/pool"
)

// PCT returns probabilistic concurrency testing ("A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", Burckhardt, Kothari,
// Musuvathi and Nagarakatte, ASPLOS 2010) for bugs of the given depth, at least 1: how many orderings of two steps it takes to make them happen.
//
// Each task has a random priority, the highest that can goes on, and after depth-1 random steps the one that made it falls below all others. These are
// among the steps with something that tasks share: after one that is nobody else's business a fall does what it would have done before. One
// schedule finds a bug of the depth with at least the probability that [PCTBound] says.
//
// A task that yields falls below all others too, or one that spins until another has done something would spin for ever.
func PCT(depth int) Strategy { return &pct{depth: max(depth, 1)} }

// PCTBound returns the least probability with which one schedule of [PCT] finds a bug of that depth in a program of so many tasks and
// steps (Program.Shared, if there are any): 1/(tasks * steps^(depth-1)). It holds as far as the numbers are those of every schedule.
func PCTBound(depth, tasks, steps int) float64 {
	return 1 / (float64(max(tasks, 1)) * math.Pow(float64(max(steps, 1)), float64(max(depth, 1)-1)))
}

type pct struct {
	chance
	depth int
	all   bool // steps count
	step  int
	falls []int // after which steps
	low   int64 // the lowest priority so far
	tasks perTask[ranked]
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
	p.step, p.low = 0, 0
	p.all = s.Program.Shared == 0
	p.falls = p.falls[:0]
	for range p.depth - 1 {
		p.falls = append(p.falls, s.Rand.IntN(max(p.steps(&s.Program), 1)))
	}
	p.tasks.forget()
	return p.draw(s)
}

// Next implements Strategy.
func (p *pct) Next(enabled []*Task, _ int) int {
	best, most := 0, int64(math.MinInt64)
	for i, t := range enabled {
		if x := p.priority(t); x > most {
			best, most = i, x
		}
	}
	if p.all || shared(enabled[best]) {
		for _, at := range p.falls {
			if at == p.step {
				p.low--
				p.tasks.of(enabled[best]).priority = p.low
			}
		}
		p.step++
	}
	return best
}

func (p *pct) steps(of *Program) int {
	if p.all {
		return of.Steps
	}
	return of.Shared
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
