package lincheck_test

import (
	"math/rand/v2"
	"testing"

	"github.com/anishathalye/porcupine"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/lincheck"
)

// letter is the state of a Oneshot.
type letter struct {
	v           int // 0: none
	sent, ended bool
}

// oneshotModel is a place for one value: it is received once, after the send; after that, and after a close, which is none after
// a send, the oneshot is closed.
func oneshotModel() porcupine.Model {
	return model(letter{}, func(l letter, in move, out moved) (letter, bool) {
		switch in.op {
		case opSend:
			return letter{v: in.v, sent: true}, !l.sent && !l.ended
		case opClose:
			return letter{v: l.v, sent: l.sent, ended: true}, true
		}
		switch out.end {
		case "":
			return letter{sent: true}, l.v != 0 && out.v == l.v
		case endClosed:
			return l, l.v == 0 && (l.sent || l.ended)
		case endNotReady:
			return l, in.op == opTryReceive && !l.sent && !l.ended
		}
		return l, in.op == opReceive && out.end == endContext
	})
}

func TestStressOneshot(t *testing.T) {
	lincheck.Check(t, oneshotModel(), 200, 3, func() func(c *lincheck.Client) {
		var o chans.Oneshot[int]
		names := atomic.NewInt64(rand.Int64N(3)) // who does what
		return func(c *lincheck.Client) {
			switch names.Inc() % 3 {
			case 0: // the sender
				for range c.IntN(4) {
					c.Disturb()
				}
				if c.IntN(4) > 0 {
					c.Do(move{opSend, 1}, func() any { o.Send(1); return moved{} })
				}
				c.Do(move{op: opClose}, func() any { o.Close(); return moved{} })
			case 1: // the receiver
				for range 4 {
					c.Disturb()
					ctx, cancel := c.Context()
					if c.IntN(3) == 0 {
						c.Do(move{op: opTryReceive}, func() any { v, err := o.TryReceive(); return moved{v, end(err)} })
					} else {
						c.Do(move{op: opReceive}, func() any { v, err := o.Receive(ctx); return moved{v, end(err)} })
					}
					cancel()
				}
			default:
				for range 8 {
					c.Disturb()
				}
			}
		}
	})
}

// spscModel is chanModel with a bound that is not exact: a push may be refused from capacity on, and has to be at most
// values. A closed ring refuses every push.
func spscModel(capacity, most int) porcupine.Model {
	return model(queue{}, func(q queue, in move, out moved) (queue, bool) {
		switch {
		case in.op == opClose:
			return queue{q.values, true}, !q.closed
		case in.op == opSend || in.op == opTrySend:
			switch out.end {
			case "":
				return queue{q.values + string(rune(in.v)), q.closed}, !q.closed && q.len() < most
			case endClosed:
				return q, q.closed
			case endNotReady:
				return q, q.closed || q.len() >= capacity
			}
		case out.end == "":
			return q.pop(out.v)
		case out.end == endClosed:
			return q, q.closed && q.values == ""
		case out.end == endNotReady:
			return q, q.values == ""
		}
		return q, out.end == endContext
	})
}

func TestStressSPSC(t *testing.T) {
	for capacity := 1; capacity <= 3; capacity++ {
		lincheck.Check(t, spscModel(capacity, 2*capacity-1), 100, 3, func() func(c *lincheck.Client) {
			r := chans.NewSPSC[int](capacity)
			notReady := map[bool]string{false: endNotReady}
			names := atomic.NewInt64(rand.Int64N(3)) // who does what
			return func(c *lincheck.Client) {
				switch names.Inc() % 3 {
				case 0: // the producer
					for v := range 12 {
						v++
						c.Disturb()
						ctx, cancel := c.Context()
						if c.IntN(3) == 0 {
							c.Do(move{opTrySend, v}, func() any { return moved{end: notReady[r.TryPush(v)]} })
						} else {
							c.Do(move{opSend, v}, func() any { return moved{end: end(r.Push(ctx, v))} })
						}
						cancel()
					}
					c.Do(move{op: opClose}, func() any { r.Close(); return moved{} })
					c.Do(move{opTrySend, 99}, func() any { return moved{end: notReady[r.TryPush(99)]} })
					c.Do(move{opSend, 99}, func() any { return moved{end: end(r.Push(bg, 99))} })
				case 1: // the consumer
					for closed := false; !closed; {
						c.Disturb()
						ctx, cancel := c.Context()
						if c.IntN(3) == 0 {
							c.Do(move{op: opTryReceive}, func() any { v, ok := r.TryPop(); return moved{v, notReady[ok]} })
						} else {
							c.Do(move{op: opReceive}, func() any {
								v, err := r.Pop(ctx)
								closed = end(err) == endClosed
								return moved{v, end(err)}
							})
						}
						cancel()
					}
				default:
					for range 30 {
						c.Disturb()
					}
				}
			}
		})
	}
}
