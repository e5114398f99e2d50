package chans

import (
	"github.com/lockstep-go/lockstep/internal/guess"
	"github.com/lockstep-go/lockstep/pool"
)

// linger decides whether a task that has to wait for a task of another worker looks again for a
// little before it parks: to wake a locked thread costs 20 to 90 µs, while the other side is often
// about to send or receive. It gives way between its looks, and a Yield with nothing else to run takes 20 ns. As soon as something else
// is ready it parks: a thread that is awake is no trouble to wake.
//
// Tasks of one worker must not do so: the other side can't run before this one parks. Nor must who
// waits for a goroutine, or for a floating worker, which is one: it costs 1 µs to wake, and may need
// the very processor that the looks keep busy. So it is done only after a task has woken one of
// another worker with a thread of its own, and as long as it pays: see Guess. Its words are written by both sides.
type linger struct{ guess.Guess }

const (
	// Turns end with a Yield; all take about 150 µs. That is longer than a wake, else both sides would
	// park in turn, each having looked in vain.
	lingerTurns = 400
	lingerPays  = 200 // turns that are no longer than a wake
)

// until looks whether ready has become true, so often a turn, and whether changed has, once a turn.
// space keeps the looks apart: each takes a cache line from the one who is about to write it. It
// returns false if the looks have been in vain, or there should be none.
func (l *linger) until(looks, space int, ready, changed func() bool) bool {
	if !l.On() || pool.Current() == nil {
		return false
	}
	for turn := range lingerTurns {
		if pool.OthersReady() {
			return false
		}
		for range looks {
			for range space { // takes time, and that is all
			}
			if ready() {
				if turn > lingerPays {
					l.Failed()
				} else {
					l.Paid()
				}
				return true
			}
		}
		if changed() {
			return true
		}
		pool.Yield()
	}
	l.Failed()
	return false
}

// deliver ends the wait of other, which has been claimed, if it is not nil.
func (c *Chan[T]) deliver(other *pool.Waiter) {
	switch {
	case other == nil:
	case c.kind == rendezvous:
		other.DeliverHanded()
	case other.Deliver() && c.kind == bounded:
		c.linger.Near()
	}
}

// mayReceive looks for a value a little while. If it returns true a receive is worth a try.
func (c *Chan[T]) mayReceive() bool {
	return c.linger.until(512, 0, c.written, func() bool { return c.tail.Load()&closed != 0 })
}

// maySend is the same for room.
func (c *Chan[T]) maySend() bool {
	return c.linger.until(512, 0, c.free, func() bool { return c.tail.Load()&flags != 0 })
}
