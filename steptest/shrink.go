package steptest

import (
	"slices"
	"time"
)

// shrinkTime bounds how long a failing schedule is made simpler.
const shrinkTime = 2 * time.Second

// shrink looks for a simpler schedule with the same failure: one with fewer switches between tasks, then with fewer choices.
//
// First without time that passes early; then, as delta debugging does it (Zeller and Hildebrandt, 2002), with runs of choices replaced by
// zeros, which stand for going on, in halves, quarters and so on down to single ones; then with single choices made smaller or left out, so that
// what follows moves up. What it finds it tries again until nothing helps.
func (x *explorer) shrink(f *failure) *failure {
	end := time.Now().Add(shrinkTime)
	best, cost := f, x.costOf(f)
	try := func(s schedule) bool {
		if time.Now().After(end) {
			return false
		}
		g := x.run(s)
		if !best.same(g) {
			return false
		}
		if c := x.costNow(); c.before(cost) {
			best, cost = g, c
			return true
		}
		return false
	}
	if f.early {
		try(schedule{choices: f.choices})
	}
	for found := true; found && time.Now().Before(end); {
		found = false
		for size := max(len(best.choices)/2, 1); size > 0; size /= 2 {
			for at := 0; at < len(best.choices); at += size {
				until := min(at+size, len(best.choices))
				if !slices.ContainsFunc(best.choices[at:until], func(c uint16) bool { return c != 0 }) {
					continue
				}
				zeros := slices.Clone(best.choices)
				clear(zeros[at:until])
				found = try(schedule{best.early, zeros}) || found
			}
		}
		for at := 0; at < len(best.choices); at++ {
			if c := best.choices[at]; c > 1 {
				less := slices.Clone(best.choices)
				less[at] = 1
				found = try(schedule{best.early, less}) || found
			}
			if at < len(best.choices) {
				found = try(schedule{best.early, slices.Delete(slices.Clone(best.choices), at, at+1)}) || found
			}
		}
	}
	return best
}

// cost is how hard a schedule is to read.
type cost struct{ early, switches, steps, choices int }

func (c cost) before(d cost) bool {
	return slices.Compare([]int{c.switches, c.early, c.steps, c.choices}, []int{d.switches, d.early, d.steps, d.choices}) < 0
}

// costOf runs the failure once more.
func (x *explorer) costOf(f *failure) cost {
	x.run(f.schedule)
	return x.costNow()
}

// costNow is that of the run that has just ended.
func (x *explorer) costNow() cost {
	c := cost{switches: x.rec.switches, steps: x.rec.steps}
	if x.d.Early {
		c.early = 1
	}
	for _, v := range x.rec.choices {
		if v != 0 {
			c.choices++
		}
	}
	return c
}
