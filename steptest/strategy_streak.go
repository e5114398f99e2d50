package steptest

// streak notices a task that goes on and on, alone: it spins, without yielding, until another one has done something. Strategies that would let it
// go on for ever make an end of that.
type streak struct {
	id, steps, most int
}

func (s *streak) begin(p *Program) {
	s.id, s.steps = nobody, 0
	s.most = 2*p.Steps + 100 // twice what all tasks together needed in the earlier run
}

// step counts a step of t, and reports whether it is one too many. If so, the count begins anew.
func (s *streak) step(t *Task) bool {
	if s.id != t.ID {
		s.id, s.steps = t.ID, 0
	}
	s.steps++
	if s.steps <= s.most {
		return false
	}
	s.steps = 0
	return true
}
