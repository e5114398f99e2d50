package steptest

import "math/rand/v2"

// Random returns the naive random walk: at each step every task that can go on does so with the same probability.
//
// It is hard to beat where the bug is a few steps from everywhere, and hopeless where one task has to wait for many steps of another:
// each of these halves the probability. [URW] is the cure.
func Random() Strategy { return &randomWalk{} }

type randomWalk struct{ chance }

// random is Random with its chance given.
func random(r *rand.Rand) Strategy { return &randomWalk{chance{r}} }

// Name implements Strategy.
func (*randomWalk) Name() string { return "random" }

// Begin implements Strategy.
func (r *randomWalk) Begin(s *Schedule) bool { return r.draw(s) }

// Next implements Strategy.
func (r *randomWalk) Next(enabled []*Task, _ int) int { return r.below(len(enabled)) }

// End implements Strategy.
func (*randomWalk) End() {}

// chance is the part that strategies by chance have in common.
type chance struct{ rand *rand.Rand }

func (c *chance) draw(s *Schedule) bool {
	c.rand = s.Rand
	return true
}

// below returns one of 0 to n-1. Most steps of many programs have one task only, and need no chance.
func (c *chance) below(n int) int {
	if n == 1 {
		return 0
	}
	return int(c.rand.Uint32N(uint32(n)))
}

// Decide implements Strategy: all answers are alike.
func (c *chance) Decide(_ Choice, n int) int { return c.below(n) }

// perTask is what a strategy keeps for each task, by its ID, from -1 for the passing of time. The space is used again by the next schedule.
type perTask[T any] struct{ all []T }

func (p *perTask[T]) forget() { p.all = p.all[:0] }

// of returns the task's. It is zero at first, and valid until the next task is asked for.
func (p *perTask[T]) of(t *Task) *T {
	i := t.ID + 1
	if i >= len(p.all) {
		p.grow(i)
	}
	return &p.all[i]
}

func (p *perTask[T]) grow(i int) {
	for len(p.all) <= i {
		var none T
		p.all = append(p.all, none)
	}
}
