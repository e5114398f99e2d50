package steptest

import "github.com/lockstep-go/lockstep/pool"

// survey is a strategy for the run from which a program's figures are taken: it counts, and leaves the choices to another one.
type survey struct {
	Strategy
	shared perTask[int]
	steps  int
}

// Begin implements Strategy.
func (s *survey) Begin(sc *Schedule) bool {
	s.shared.forget()
	s.steps = 0
	return s.Strategy.Begin(sc)
}

// Next implements Strategy.
func (s *survey) Next(enabled []*Task, at int) int {
	k := s.Strategy.Next(enabled, at)
	s.steps++
	if shared(enabled[k]) {
		*s.shared.of(enabled[k])++
	}
	return k
}

// programOf returns what is known of a program after a run without a survey: [SURW] is then [URW].
func programOf(tasks []*Task, steps int) Program {
	s := survey{steps: steps}
	return s.program(tasks)
}

// program returns what is known of the program after the run, whose tasks these are, in the order of their IDs.
func (s *survey) program(tasks []*Task) Program {
	p := Program{
		Tasks: len(tasks), Steps: s.steps,
		Events: make(map[uint64]int, len(tasks)), Under: make(map[uint64]int, len(tasks)), SharedUnder: make(map[uint64]int, len(tasks)),
	}
	for i := len(tasks) - 1; i >= 0; i-- { // children before their parents, which have the lower IDs
		t := tasks[i]
		n := *s.shared.of(t)
		p.Shared += n
		p.Events[t.Path] += t.Steps
		p.Under[t.Path] += t.Steps
		p.SharedUnder[t.Path] += n
		if t.Parent >= 0 {
			by := tasks[t.Parent].Path
			p.Under[by] += p.Under[t.Path]
			p.SharedUnder[by] += p.SharedUnder[t.Path]
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
	case pool.OpPoint:
		return t.Obj != nil
	}
	return false
}

// givesBack reports whether others may be waiting for it, and can't be disturbed by it.
func givesBack(o Op) bool {
	switch o {
	case pool.OpUnlock, pool.OpRUnlock, pool.OpRelease, pool.OpAdd:
		return true
	}
	return false
}
