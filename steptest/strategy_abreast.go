package steptest

// Abreast returns a strategy that keeps the tasks abreast: the one goes on that has made the fewest steps with something that tasks share. All
// of them look before anybody acts on it, and all take their first lock before anybody takes a second.
//
// Nothing argues that this is even or complete, but very many faults are just that, and it needs one schedule for them, where a walk needs luck of each
// task. In the first schedule those that are level go on in the order of their spawns, in the second in the reverse order, then in a random one.
func Abreast() Strategy { return &abreast{} }

type abreast struct {
	chance
	index   int
	counted counted
	tasks   perTask[progress]
}

// progress is how far a task has come, and who goes first among those that are level.
type progress struct{ made, rank uint32 }

// shareOfStep is how much a step counts that is about nothing shared, out of a shared one's: so little that only a loop of them notices, which would
// else go on for ever.
const (
	sharedStep = 64
	otherStep  = 1
)

// Name implements Strategy.
func (*abreast) Name() string { return "abreast" }

// Begin implements Strategy.
func (a *abreast) Begin(s *Schedule) bool {
	a.index = s.Index
	a.tasks.forget()
	a.draw(s)
	a.counted = counted{points: s.Program.Points > 0 && a.index > 1 && a.below(2) == 0}
	return true
}

// Next implements Strategy.
func (a *abreast) Next(enabled []*Task, _ int) int {
	best, least := 0, uint64(1<<63)
	for i, t := range enabled {
		x := a.tasks.of(t)
		if x.rank == 0 {
			x.rank = a.rank(t)
		}
		if key := uint64(x.made/sharedStep)<<32 | uint64(x.rank); key < least {
			best, least = i, key
		}
	}
	t := enabled[best]
	x := a.tasks.of(t)
	if a.counted.step(t) {
		x.made += sharedStep
	} else {
		x.made += otherStep
	}
	return best
}

// rank is above 0. The first task, which spawns others, goes before them, or they would not start level; except, for a change, in half of the later schedules.
func (a *abreast) rank(t *Task) uint32 {
	switch {
	case t.ID < 0:
		return 1 << 31
	case t.Parent < 0 && (a.index < 2 || a.below(2) == 0):
		return 1
	case a.index == 0:
		return uint32(t.ID) + 1
	case a.index == 1:
		return 1<<30 - uint32(t.ID)
	}
	return a.rand.Uint32N(1<<30) + 2
}

// End implements Strategy.
func (*abreast) End() {}
