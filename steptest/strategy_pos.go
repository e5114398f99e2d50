package steptest

import "github.com/lockstep-go/lockstep/pool"

// POS returns partial order sampling ("Partial Order Aware Concurrency Sampling", Yuan, Yang and Gu, CAV 2018): each pending step has a random
// priority, and the highest is made. Those that then conflict with it, being about the same thing while one of them changes that, draw anew.
//
// Orders that differ only in steps that have nothing to do with one another are the same to a program. A naive walk favours partial orders that
// many such sequences lead to; fresh priorities where the order matters, and only there, even that out.
func POS() Strategy { return &pos{} }

type pos struct {
	chance
	tasks perTask[pending]
	steps int
	most  int // steps after which all draw anew: tasks that spin may draw so often that somebody who has drawn low never goes on
}

// pending is the priority of the step that a task makes next.
type pending struct {
	priority uint64
	drawn    int // for which step of the task, from 1; 0 if it has to draw
}

// Name implements Strategy.
func (*pos) Name() string { return "pos" }

// Begin implements Strategy.
func (p *pos) Begin(s *Schedule) bool {
	p.tasks.forget()
	p.steps, p.most = 0, 2*s.Program.Steps+100
	return p.draw(s)
}

// Next implements Strategy.
func (p *pos) Next(enabled []*Task, _ int) int {
	if len(enabled) == 1 {
		return 0 // its next step is another one, and draws: nothing is pending beside it
	}
	if p.steps++; p.steps%p.most == 0 {
		p.tasks.forget()
	}
	best, most := 0, uint64(0)
	for i, t := range enabled {
		x := p.tasks.of(t)
		if x.drawn != t.Steps+1 {
			x.drawn, x.priority = t.Steps+1, p.rand.Uint64()
		}
		if x.priority >= most {
			best, most = i, x.priority
		}
	}
	now := enabled[best]
	if now.Obj == nil && now.Op != pool.OpSelect {
		return best
	}
	for i, t := range enabled {
		if i != best && conflict(now, t) {
			p.tasks.of(t).drawn = 0
		}
	}
	return best
}

// End implements Strategy.
func (*pos) End() {}

// conflict reports whether the order of the next steps of a and b may matter: both are about the same thing and one
// changes it. A select is about several channels, which it does not say, and thus may meet any operation of one.
func conflict(a, b *Task) bool {
	if a.Op == pool.OpSelect || b.Op == pool.OpSelect {
		return onChannel(a.Op) && onChannel(b.Op)
	}
	return a.Obj != nil && a.Obj == b.Obj && !(a.Op.Reads() && b.Op.Reads())
}

func onChannel(o Op) bool {
	return o == pool.OpSend || o == pool.OpReceive || o == pool.OpClose || o == pool.OpSelect
}
