package steptest

// URW returns the uniform random walk over interleavings ("Selectively Uniform Concurrency Testing", Zhao, Wolff, Mathur and Roychoudhury,
// ASPLOS 2025): a task goes on with a probability proportional to the number of steps that it has left.
//
// Among n steps of one task and m of another there are (n+m choose n) interleavings, and the share of those that begin with the first one's is
// n/(n+m). So if the numbers are right and no task ever has to wait, every interleaving is equally probable. They are those of
// one earlier run, hence estimates, and waits make some interleavings impossible; what is left is far more even than a naive walk.
//
// The steps of tasks that are still to be spawned count as their parent's: without this the first child runs far ahead of
// the others, whose turn can't come while the parent has few steps of its own.
func URW() Strategy { return &urw{} }

// SURW returns the selective form of [URW], from the same paper: uniform are the orders of those steps alone that take, look at or change something
// that tasks share. The task that is chosen goes on until it has made one of these.
//
// With it, work that is nobody else's business does not thin out the orders that matter: a deadlock after twenty private steps is
// as probable as one at once.
//
// What gives something back mostly follows at once on what the task did before. Else those who want it would be stopped, one after another, by
// a task that has done what counts, and that would be next in any case.
func SURW() Strategy { return &urw{selective: true} }

type urw struct {
	chance
	selective bool
	counted   counted
	program   *Program
	unknown   int // what a task has left that the earlier run has not seen
	left      perTask[int]
	chosen    int // the ID of the task that is to reach a step that counts, or nobody
	streak    streak
}

const nobody = -2

// Name implements Strategy.
func (u *urw) Name() string {
	if u.selective {
		return "surw"
	}
	return "urw"
}

// Begin implements Strategy.
func (u *urw) Begin(s *Schedule) bool {
	u.draw(s)
	u.program, u.counted = &s.Program, counted{all: true}
	if u.selective {
		u.counted = u.counts(u.program)
	}
	u.unknown = max(1, u.counted.steps(u.program)/max(1, s.Program.Tasks))
	u.left.forget()
	u.chosen = nobody
	u.streak.begin(u.program)
	return true
}

// Next implements Strategy.
func (u *urw) Next(enabled []*Task, at int) int {
	sum, next := u.weigh(enabled)
	if sum == 0 {
		u.meet(enabled)
		sum, next = u.weigh(enabled)
	}
	left := u.left.all
	switch {
	case !u.counted.all && at >= 0 && givesBack(enabled[at].Op) && u.below(8) > 0:
		return at
	case next < 0 && len(enabled) == 1:
		next = 0
	case next < 0: // nobody has been chosen, or that one waits or is over
		x := int(u.rand.Uint32N(uint32(sum)))
		for i, t := range enabled {
			if x -= max(left[t.ID+1], 1); x < 0 {
				next = i
				break
			}
		}
	}
	t := enabled[next]
	x := &left[t.ID+1]
	u.chosen = nobody
	if u.counted.step(t) {
		*x--
	} else if *x > 0 && !u.streak.step(t) {
		u.chosen = t.ID
	}
	return next
}

// weigh returns the sum of the weights, and which task has been chosen before, -1 if none; or 0 if there are tasks that it meets for the first time. The weight
// is the number of steps left that count, and at least 1: the estimate may be too low, and what does not count has to be done some time.
func (u *urw) weigh(enabled []*Task) (sum, chosen int) {
	left := u.left.all
	chosen = -1
	for i, t := range enabled {
		k := t.ID + 1
		if k >= len(left) || left[k] == 0 && t.Steps == 0 && t.ID >= 0 {
			return 0, -1
		}
		sum += max(left[k], 1)
		if t.ID == u.chosen {
			chosen = i
		}
	}
	return sum, chosen
}

// meet gives new tasks what they have left, and takes it from their parents.
func (u *urw) meet(enabled []*Task) {
	for _, t := range enabled {
		left := u.left.of(t)
		if *left != 0 || t.Steps > 0 || t.ID < 0 {
			continue
		}
		n, known := u.counted.under(u.program, t.Path)
		if !known {
			*left = u.unknown
			continue
		}
		*left = n
		if n == 0 {
			*left = -1 // it has been met
			continue
		}
		if t.Parent < 0 || t.Parent >= t.ID {
			continue
		}
		// If the parent has been chosen, it was for what either of them will do, and the choice is now between the two.
		by := &u.left.all[t.Parent+1]
		*by -= n
		if t.Parent == u.chosen && u.below(n+max(*by, 0)) < n {
			u.chosen = t.ID
		}
	}
}

// End implements Strategy.
func (*urw) End() {}
