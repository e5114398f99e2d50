package steptest

import "github.com/lockstep-go/lockstep/pool"

// Event is an operation of a history: of which client, with what input and output, and between which steps. The fields are those of
// an Operation of github.com/anishathalye/porcupine, which checks whether a history is linearizable.
type Event struct {
	Client int   // who called it
	Input  any   // what it was called with
	Output any   // what it returned
	Call   int64 // when it was called: a number that grows with each call and return
	Return int64 // when it returned
}

// Op calls f, notes it as an operation of the schedule's history, and returns what f returns. client says who calls it, such as the number of
// the task: the operations of one client must not overlap.
func (t *T) Op(client int, input any, f func() any) any {
	pool.Point(pool.OpPoint, "call")
	call := t.tick()
	out := f()
	end := t.tick()
	by := t.d.Enter()
	t.events = append(t.events, Event{client, input, out, call, end})
	by.Leave()
	return out
}

// tick is a time that is different at each call.
func (t *T) tick() int64 {
	by := t.d.Enter()
	t.x.ticks++
	n := t.x.ticks
	by.Leave()
	return n
}

// History returns the operations that Op has noted in this schedule, in the order of their returns.
func (t *T) History() []Event {
	by := t.d.EnterTold()
	events := t.events
	by.LeaveTold(t.d)
	return events
}
