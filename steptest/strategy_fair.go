package steptest

import "fmt"

// Fair returns a strategy without chance in which tasks take turns, each for so many steps, at least 1: of n tasks that can go on each does
// so within n-1 turns of the others. If a program does not come to an end under it, it is no fault of the schedule's.
//
// Other choices take turns as well.
func Fair(quantum int) Strategy { return &fair{quantum: max(quantum, 1)} }

type fair struct {
	quantum int
	last    int // the ID of the task that has the turn
	left    int // steps of its turn
	turns   [choices]int
}

// choices is how many kinds of choices there may be.
const choices = 16

// Name implements Strategy.
func (f *fair) Name() string {
	if f.quantum == 1 {
		return "fair"
	}
	return fmt.Sprintf("fair:%d", f.quantum)
}

// Begin implements Strategy.
func (f *fair) Begin(*Schedule) bool {
	*f = fair{quantum: f.quantum, last: -2}
	return true
}

// Next implements Strategy.
func (f *fair) Next(enabled []*Task, at int) int {
	if at >= 0 && enabled[at].ID == f.last && f.left > 0 {
		f.left--
		return at
	}
	next := 0
	for i, t := range enabled { // the first ID after the last one; the passing of time, which is the last, has -1
		if t.ID > f.last || t.ID < 0 && f.last >= 0 {
			next = i
			break
		}
	}
	f.last, f.left = enabled[next].ID, f.quantum-1
	return next
}

// Decide implements Strategy.
func (f *fair) Decide(what Choice, n int) int {
	x := &f.turns[what%choices]
	*x++
	return (*x - 1) % n
}

// End implements Strategy.
func (*fair) End() {}
