package steptest

import "github.com/lockstep-go/lockstep/pool"

// survey is a strategy for the run from which a program's figures are taken: it counts, and leaves the choices to another one.
type survey struct {
	Strategy
	shared perTask[int]
	points perTask[int]
	steps  int
}

// Begin implements Strategy.
func (s *survey) Begin(sc *Schedule) bool {
	s.shared.forget()
	s.points.forget()
	s.steps = 0
	return s.Strategy.Begin(sc)
}

// Next implements Strategy.
func (s *survey) Next(enabled []*Task, at int) int {
	k := s.Strategy.Next(enabled, at)
	s.steps++
	if shared(enabled[k]) {
		*s.shared.of(enabled[k])++
	} else if labelled(enabled[k]) {
		*s.points.of(enabled[k])++
	}
	return k
}

// program returns what is known of the program after the run, whose tasks these are, in the order of their IDs.
func (s *survey) program(tasks []*Task) Program {
	p := Program{
		Tasks: len(tasks), Steps: s.steps,
		Events: make(map[uint64]int, len(tasks)), Under: make(map[uint64]int, len(tasks)),
		SharedUnder: make(map[uint64]int, len(tasks)), PointsUnder: make(map[uint64]int, len(tasks)),
	}
	for i := len(tasks) - 1; i >= 0; i-- { // children before their parents, which have the lower IDs
		t := tasks[i]
		n, points := *s.shared.of(t), *s.points.of(t)
		p.Shared += n
		p.Points += points
		p.Events[t.Path] += t.Steps
		p.Under[t.Path] += t.Steps
		p.SharedUnder[t.Path] += n
		p.PointsUnder[t.Path] += points
		if t.Parent >= 0 {
			by := tasks[t.Parent].Path
			p.Under[by] += p.Under[t.Path]
			p.SharedUnder[by] += p.SharedUnder[t.Path]
			p.PointsUnder[by] += p.PointsUnder[t.Path]
		}
	}
	return p
}

// shared reports whether t's next step is one whose place among those of other tasks is likely to matter: it takes, changes or looks at
// something that others may have.
//
// Giving something back does not count. By Lipton's argument ("Reduction: A Method of Proving Properties of Parallel Programs", CACM
// 1975) an unlock may as well follow at once on what its task did before: it commutes to the left with all that others can do meanwhile. Starts, spawns
// and points without an object say nothing of others. Nor does going on after a wait: the operation was counted when it began.
func shared(t *Task) bool {
	switch t.Op {
	case pool.OpLock, pool.OpTryLock, pool.OpRLock, pool.OpAcquire, pool.OpCondWait, pool.OpSignal, pool.OpBroadcast, pool.OpOnce,
		pool.OpSend, pool.OpReceive, pool.OpClose, pool.OpSelect, pool.OpCancel, pool.OpRoom, pool.OpRead, pool.OpWrite, pool.OpUpdate:
		return !t.Waiting()
	}
	return false
}

// labelled reports whether t's next step is a point that a test has set by hand. It may stand for something with others that nobody sees, or for
// nothing, so it counts as shared in half of the schedules.
func labelled(t *Task) bool { return t.Op == pool.OpPoint && t.Obj != nil }

// counted says which steps count as shared in a schedule.
type counted struct{ all, points bool }

// counts decides that for the schedule: all steps, if it is not known which are shared.
func (c *chance) counts(p *Program) counted {
	if p.Shared == 0 {
		return counted{all: true}
	}
	return counted{points: p.Points > 0 && c.below(2) == 0}
}

// step reports whether t's next one counts.
func (c counted) step(t *Task) bool { return c.all || shared(t) || c.points && labelled(t) }

// steps is how many there were.
func (c counted) steps(p *Program) int {
	switch {
	case c.all:
		return p.Steps
	case c.points:
		return p.Shared + p.Points
	}
	return p.Shared
}

// under is how many a task and all under it made, and false if there was no such task.
func (c counted) under(p *Program, path uint64) (int, bool) {
	n, known := p.Under[path]
	switch {
	case c.all:
		return n, known
	case c.points:
		return p.SharedUnder[path] + p.PointsUnder[path], known
	}
	return p.SharedUnder[path], known
}

// givesBack reports whether others may be waiting for it, and can't be disturbed by it.
func givesBack(o Op) bool {
	switch o {
	case pool.OpUnlock, pool.OpRUnlock, pool.OpRelease, pool.OpAdd:
		return true
	}
	return false
}
