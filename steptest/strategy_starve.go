package steptest

import "math/bits"

// Starving returns a strategy in the manner of the chaos mode of rr, the debugger: one task, or two, can go on only when nobody else
// can, for a long stretch of the schedule. The others go on at random, but mostly the one that ran last.
//
// It finds what takes one task to stand still in the wrong place while the rest of the program does a great deal, for which a walk, which
// gives each its turn, has no patience.
func Starving() Strategy { return &starving{} }

type starving struct {
	chance
	step, from, to int
	victims        [2]int // IDs
	stay           uint32 // out of 256: how probably the last task goes on
}

// Name implements Strategy.
func (*starving) Name() string { return "starve" }

// Begin implements Strategy.
func (s *starving) Begin(sc *Schedule) bool {
	s.draw(sc)
	tasks, steps := max(sc.Program.Tasks, 1), max(sc.Program.Steps, 1)
	s.step = 0
	s.from = 0 // half of the time: it is where most tasks have done nothing yet that others could go on with
	if s.below(2) == 0 {
		s.from = s.below(steps)
	}
	// Of all lengths between a few steps and much more than the earlier run took, since starving may make a program run on: each
	// doubling is as probable as any other.
	s.to = s.from + 1<<(1+s.below(bits.Len(uint(steps))+2))
	s.victims[0] = s.below(tasks)
	s.victims[1] = s.victims[0]
	if s.below(4) == 0 {
		s.victims[1] = s.below(tasks)
	}
	s.stay = [...]uint32{0, 128, 224, 248}[s.below(4)]
	return true
}

// Next implements Strategy.
func (s *starving) Next(enabled []*Task, at int) int {
	s.step++
	if len(enabled) == 1 {
		return 0
	}
	if now := s.step - 1; now < s.from || now >= s.to {
		return s.any(enabled, at)
	}
	fed := 0
	for _, t := range enabled {
		if !s.starves(t) {
			fed++
		}
	}
	if fed == 0 || fed == len(enabled) {
		return s.any(enabled, at)
	}
	if at >= 0 && s.starves(enabled[at]) {
		at = -1
	}
	if s.stays(at) {
		return at
	}
	k := s.below(fed)
	for i, t := range enabled {
		if s.starves(t) {
			continue
		}
		if k--; k < 0 {
			return i
		}
	}
	return 0
}

func (s *starving) starves(t *Task) bool { return t.ID == s.victims[0] || t.ID == s.victims[1] }

func (s *starving) stays(at int) bool { return at >= 0 && s.rand.Uint32()&255 < s.stay }

func (s *starving) any(enabled []*Task, at int) int {
	if s.stays(at) {
		return at
	}
	return s.below(len(enabled))
}

// End implements Strategy.
func (*starving) End() {}
