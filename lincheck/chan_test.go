package lincheck_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/lincheck"
)

// channel is what a Chan and the broken ones have in common.
type channel interface {
	Send(ctx context.Context, v int) error
	Put(v int) error
	TrySend(v int) error
	Receive(ctx context.Context) (int, error)
	Get() (int, bool)
	TryReceive() (int, error)
	Close()
	Len() int
}

// move is a call on a channel, of v if it sends, and moved what came of it.
type move struct {
	op string
	v  int
}

func (m move) sends() bool    { return m.op == opSend || m.op == opTrySend }
func (m move) receives() bool { return m.op == opReceive || m.op == opTryReceive }

type moved struct {
	v   int
	end string // "" if it was done
}

const (
	opSend       = "send"
	opReceive    = "receive"
	opTrySend    = "try to send"
	opTryReceive = "try to receive"
	opClose      = "close"
	opLen        = "len"
	opExchange   = "exchange" // of a send and a receive without a buffer

	endClosed   = "closed"
	endNotReady = "not ready"
	endContext  = "context"
)

func end(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, chans.ErrClosed):
		return endClosed
	case errors.Is(err, chans.ErrNotReady):
		return endNotReady
	case errors.Is(err, context.Canceled):
		return endContext
	}
	return err.Error() // which no model allows
}

// queue is the state of a channel: its values, one rune each.
type queue struct {
	values string
	closed bool
}

func (q queue) len() int { return len([]rune(q.values)) }

// pop takes v from the front. It is false if the front is another.
func (q queue) pop(v int) (queue, bool) {
	front := string(rune(v))
	if len(q.values) < len(front) || q.values[:len(front)] != front {
		return q, false
	}
	q.values = q.values[len(front):]
	return q, true
}

// chanModel is a queue of at most capacity values (-1: any number). A try may say that it would have to wait only if the queue
// is full, or empty, or if there is no buffer: who waits at the other end is not part of the state. A call that its context
// has ended changes nothing.
func chanModel(capacity int) porcupine.Model {
	full := func(q queue) bool { return capacity >= 0 && q.len() >= capacity }
	m := model(queue{}, func(q queue, in move, out moved) (queue, bool) {
		switch in.op {
		case opClose:
			return queue{q.values, true}, !q.closed
		case opLen:
			return q, out.v == q.len()
		case opExchange:
			return q, !q.closed && out.end == ""
		case opSend, opTrySend:
			switch out.end {
			case "":
				return queue{q.values + string(rune(in.v)), q.closed}, !q.closed && !full(q)
			case endClosed:
				return q, q.closed
			case endNotReady:
				return q, in.op == opTrySend && !q.closed && full(q)
			}
			return q, in.op == opSend && out.end == endContext
		}
		switch out.end {
		case "":
			return q.pop(out.v)
		case endClosed:
			return q, q.closed && q.values == ""
		case endNotReady:
			return q, in.op == opTryReceive && !q.closed && q.values == ""
		}
		return q, in.op == opReceive && out.end == endContext
	})
	if capacity == 0 {
		m.Partition = func(ops []porcupine.Operation) [][]porcupine.Operation {
			return [][]porcupine.Operation{exchanges(ops)}
		}
	}
	return m
}

// exchanges makes one operation of the two halves of each value that was handed over without a buffer: it happens while both
// are under way. Halves that have not met, or have no other half, become an exchange that no model allows.
func exchanges(ops []porcupine.Operation) (all []porcupine.Operation) {
	sends := map[int]porcupine.Operation{}
	for _, op := range ops {
		in, out := op.Input.(move), op.Output.(moved)
		if in.sends() && out.end == "" {
			sends[in.v] = op
		} else if !in.receives() || out.end != "" {
			all = append(all, op)
		}
	}
	for _, op := range ops {
		in, out := op.Input.(move), op.Output.(moved)
		if !in.receives() || out.end != "" {
			continue
		}
		send, sent := sends[out.v]
		delete(sends, out.v)
		op.Input = move{op: opExchange, v: out.v}
		if begin, end := max(op.Call, send.Call), min(op.Return, send.Return); sent && begin < end {
			op.Call, op.Return = begin, end
		} else {
			op.Output = moved{out.v, "not met"}
		}
		all = append(all, op)
	}
	for v, op := range sends {
		op.Input, op.Output = move{op: opExchange, v: v}, moved{v, "not taken"}
		all = append(all, op)
	}
	return all
}

// traders is how many use a channel, and turns how often each does.
const (
	traders = 6
	turns   = 9
)

// trade is what a client does on c: it sends and receives, waiting or not, with and without contexts. The first client only
// tries, and so never waits; it closes c in the end, and so nobody waits for ever. Who is last, by left, receives all that is left.
func trade(u *lincheck.Client, c channel, left, names *atomic.Int64) {
	me := int(names.Inc())
	for n := range turns {
		u.Disturb()
		v := 100*me + n
		ctx, cancel := u.Context()
		kind := u.IntN(12)
		if me == 1 {
			kind %= 4
		}
		switch kind {
		case 0, 1:
			u.Do(move{opTrySend, v}, func() any { return moved{end: end(c.TrySend(v))} })
		case 2:
			u.Do(move{op: opTryReceive}, func() any { v, err := c.TryReceive(); return moved{v, end(err)} })
		case 3:
			u.Do(move{op: opLen}, func() any { return moved{v: c.Len()} })
		case 4, 5, 6:
			u.Do(move{opSend, v}, func() any { return moved{end: end(c.Send(ctx, v))} })
		case 7:
			u.Do(move{opSend, v}, func() any { return moved{end: end(c.Put(v))} })
		case 8:
			u.Do(move{op: opReceive}, func() any {
				v, ok := c.Get()
				if !ok {
					return moved{v, endClosed}
				}
				return moved{v: v}
			})
		default:
			u.Do(move{op: opReceive}, func() any { v, err := c.Receive(ctx); return moved{v, end(err)} })
		}
		cancel()
	}
	if me == 1 {
		for range u.IntN(100) {
			lockstep.Yield()
		}
		u.Do(move{op: opClose}, func() any { c.Close(); return moved{} })
	}
	for rest := left.Dec() == 0; rest; {
		u.Do(move{op: opTryReceive}, func() any {
			v, err := c.TryReceive()
			rest = err == nil
			return moved{v, end(err)}
		})
	}
}

// trading makes the clients of a round on c.
func trading(c channel) func(u *lincheck.Client) {
	left, names := atomic.NewInt64(traders), atomic.NewInt64(0)
	return func(u *lincheck.Client) { trade(u, c, left, names) }
}

// capacities are those of the channels that are checked, -1 for none.
var capacities = []int{0, 1, 4, -1}

func newChan(capacity int) *chans.Chan[int] {
	if capacity < 0 {
		return chans.Unbounded[int]()
	}
	return chans.New[int](capacity)
}

func TestStressChan(t *testing.T) {
	for _, capacity := range capacities {
		t.Run(fmt.Sprintf("capacity=%d", capacity), func(t *testing.T) {
			lincheck.Check(t, chanModel(capacity), 60, traders, func() func(u *lincheck.Client) { return trading(newChan(capacity)) })
		})
	}
}

// model makes a porcupine model of a comparable state, and a step that reports whether in may return out, and the state
// after that.
func model[S comparable, I, O any](initial S, step func(s S, in I, out O) (S, bool)) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return initial },
		Step: func(s, in, out any) (bool, any) {
			next, ok := step(s.(S), in.(I), out.(O))
			return ok, next
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
	}
}

// What the models refuse, in histories made by hand.
func TestChanModelRefuses(t *testing.T) {
	type call = porcupine.Operation
	send := func(v int, begin, ret int64, e string) call {
		return call{Input: move{opSend, v}, Call: begin, Return: ret, Output: moved{end: e}}
	}
	receive := func(v int, begin, ret int64, e string) call {
		return call{Input: move{op: opReceive}, Call: begin, Return: ret, Output: moved{v, e}}
	}
	for name, c := range map[string]struct {
		capacity int
		ops      []call
		ok       bool
	}{
		"in order":             {2, []call{send(1, 1, 2, ""), send(2, 3, 4, ""), receive(1, 5, 6, ""), receive(2, 7, 8, "")}, true},
		"out of order":         {2, []call{send(1, 1, 2, ""), send(2, 3, 4, ""), receive(2, 5, 6, ""), receive(1, 7, 8, "")}, false},
		"sends at once":        {2, []call{send(1, 1, 4, ""), send(2, 2, 3, ""), receive(2, 5, 6, ""), receive(1, 7, 8, "")}, true},
		"too many":             {1, []call{send(1, 1, 2, ""), send(2, 3, 4, "")}, false},
		"no bound":             {-1, []call{send(1, 1, 2, ""), send(2, 3, 4, "")}, true},
		"twice":                {2, []call{send(1, 1, 2, ""), receive(1, 3, 4, ""), receive(1, 5, 6, "")}, false},
		"a cancelled send":     {2, []call{send(1, 1, 2, endContext), receive(1, 3, 4, "")}, false},
		"closed by nobody":     {2, []call{send(1, 1, 2, endClosed)}, false},
		"another error":        {2, []call{send(1, 1, 2, "other")}, false},
		"they meet":            {0, []call{send(1, 1, 3, ""), receive(1, 2, 4, "")}, true},
		"they do not meet":     {0, []call{send(1, 1, 2, ""), receive(1, 3, 4, "")}, false},
		"sent and not taken":   {0, []call{send(1, 1, 2, "")}, false},
		"received and not put": {0, []call{receive(1, 1, 2, "")}, false},
	} {
		require.Equal(t, c.ok, porcupine.CheckOperations(chanModel(c.capacity), c.ops), name)
	}
}
