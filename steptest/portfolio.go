package steptest

// Portfolio returns the default: several strategies in turn, since none is best for every fault. Which one makes a schedule depends on its number
// alone, and except for the depth-first search a schedule depends on nothing but its number and the seed.
//
// # The mix
//
// The run before the first schedule, from which the figures of the program are taken, is one of [Abreast] already. Then come one schedule without
// preemptions and one of Abreast in the reverse order: it is these three that find most faults, and whose traces are the
// easiest to read. From then on, of 20 schedules 9 are uniform walks, all but one selective, 6 are PCT's, and the other five are there for what
// these are blind to. One schedule in eight, at first, and then one in 16, goes on with the depth-first search: where that
// comes to an end, all schedules have been tried, and the portfolio ends too.
//
// The shares were found by counting schedules on the kernels of the tests. They lie in a flat optimum: where two strategies share the
// schedules in halves, neither needs more than twice as many as alone.
func Portfolio() Strategy {
	p := &portfolio{search: Bounded(-1)}
	surw, urw, pct2, pct3, pos, abreast := SURW(), URW(), PCT(2), PCT(3), POS(), Abreast()
	p.opening = []Strategy{p.search, abreast}
	p.round = []Strategy{
		pct3, surw, surw, pct2, surw, pos, pct3, surw, urw, surw,
		pct3, surw, Random(), pct2, surw, abreast, pct3, surw, pos, Starving(),
	}
	return p
}

// portfolio is a round of strategies with a search in between.
type portfolio struct {
	Strategy // of the schedule
	opening  []Strategy
	round    []Strategy
	search   *DFS
}

const (
	searchOften  = 8
	searchSeldom = 16
	searchFirst  = 200 // schedules, of which the search has its larger share
)

// Name implements Strategy.
func (*portfolio) Name() string { return "portfolio" }

// Begin implements Strategy.
func (p *portfolio) Begin(s *Schedule) bool {
	p.Strategy = p.of(s.Index)
	if p.Strategy != p.search {
		return p.Strategy.Begin(s)
	}
	if p.search.Begin(s) {
		return true
	}
	if p.search.Exhausted() {
		return false
	}
	p.Strategy = p.round[s.Index%len(p.round)]
	return p.Strategy.Begin(s)
}

func (p *portfolio) of(i int) Strategy {
	if i < len(p.opening) {
		return p.opening[i]
	}
	every := searchOften
	if i >= searchFirst {
		every = searchSeldom
	}
	if i%every == 0 {
		return p.search
	}
	return p.round[(i-len(p.opening)-i/every)%len(p.round)]
}

// Current returns the strategy of the schedule.
func (p *portfolio) Current() Strategy { return p.Strategy }

// String says how far the search has come.
func (p *portfolio) String() string { return p.search.String() }

// opening is the strategy for the run that comes before all others.
func opening() *survey { return &survey{Strategy: Abreast()} }

// current is implemented by strategies that are made of others.
type current interface{ Current() Strategy }

// nameOf is the name of the strategy that has made the schedule.
func nameOf(s Strategy) string {
	if c, ok := s.(current); ok {
		s = c.Current()
	}
	return s.Name()
}

// searches reports whether the schedule is one of a depth-first search: then nothing may be different from one schedule of it to the next, save what it chooses.
func searches(s Strategy) bool {
	if c, ok := s.(current); ok {
		s = c.Current()
	}
	_, ok := s.(*DFS)
	return ok
}
