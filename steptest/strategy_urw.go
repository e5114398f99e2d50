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
	return true
}

// Next implements Strategy.
func (u *urw) Next(enabled []*Task, at int) int {
	for _, t := range enabled { // before anything is weighed, since it takes from the parents
		if left := u.left.of(t); *left == 0 && t.Steps == 0 {
			u.meet(t)
		}
	}
	sum, next := 0, -1
	for i, t := range enabled {
		sum += u.weight(t)
		if t.ID == u.chosen {
			next = i
		}
	}
	switch {
	case !u.counted.all && at >= 0 && givesBack(enabled[at].Op) && u.below(8) > 0:
		return at
	case next < 0: // nobody has been chosen, or that one waits or is over
		next = 0
		x := u.below(sum)
		for ; next < len(enabled)-1; next++ {
			if x -= u.weight(enabled[next]); x < 0 {
				break
			}
		}
	}
	t := enabled[next]
	left := u.left.of(t)
	u.chosen = nobody
	if u.counted.step(t) {
		*left--
	} else if *left > 0 {
		u.chosen = t.ID
	}
	return next
}

// weight is how many steps t has left that count, and at least 1: the estimate may be too low, and what does not count has to be done some time.
func (u *urw) weight(t *Task) int { return max(u.left.all[t.ID+1], 1) }

// meet is called when t is seen for the first time: it takes its share from its parent. If that has been chosen, it was for what either will
// do, and the choice is between the two of them.
func (u *urw) meet(t *Task) {
	if t.ID < 0 {
		return
	}
	n, known := u.counted.under(u.program, t.Path)
	if !known {
		n = u.unknown
	}
	*u.left.of(t) = n
	if !known || n == 0 || t.Parent < 0 || t.Parent >= t.ID {
		return
	}
	by := &u.left.all[t.Parent+1]
	*by -= n
	if t.Parent == u.chosen && u.below(n+max(*by, 0)) < n {
		u.chosen = t.ID
	}
}

// End implements Strategy.
func (*urw) End() {}
