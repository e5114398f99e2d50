package chans

import "github.com/lockstep-go/lockstep/pool"

// A task that has to wait for a task on another thread looks again for a little before it parks: to
// wake a locked thread costs 20 to 90 µs, and 1 µs to wake a floating worker, while the other side
// is often about to send or receive. It gives way between its looks, so other tasks of its worker run
// meanwhile, and a Yield with nothing else to run takes 20 ns.
//
// Tasks of one worker must not do so: the other side can't run before this one parks. So it is
// done only in a channel in which a wake has lately crossed threads, and no
// longer once it has been in vain a few times since: then the other side is slow, and the
// looks cost more than they save.
const (
	lingerLooks = 64   // between two turns, about 50 ns
	lingerTurns = 2000 // about 150 µs, longer than a wake takes: else both park in turn, each in vain
	lingerVain  = 4    // times, after a wake that crossed threads
)

// deliver ends the wait of other, which has been claimed, if it is not nil.
func (c *Chan[T]) deliver(other *pool.Waiter) {
	if other != nil && !other.Deliver() && c.kind == bounded && c.linger.Load() != lingerVain {
		c.linger.Store(lingerVain)
	}
}

// mayReceive looks for a value until there is one, or the looks have been in vain. If it returns
// true a receive is worth a try.
func (c *Chan[T]) mayReceive() bool {
	left := c.linger.Load()
	if left <= 0 || pool.Current() == nil {
		return false
	}
	for range lingerTurns {
		stamp := c.head.Load() >> shift
		s := c.slot(stamp)
		for range lingerLooks {
			if s.seq.Load() == stamp+1 { // a look at tail would take it from the sender's cache
				return true
			}
		}
		if c.tail.Load()&closed != 0 || c.head.Load()>>shift != stamp {
			return true
		}
		pool.Yield()
	}
	c.linger.CompareAndSwap(left, left-1)
	return false
}

// maySend is the same for room.
func (c *Chan[T]) maySend() bool {
	left := c.linger.Load()
	if left <= 0 || pool.Current() == nil {
		return false
	}
	for range lingerTurns {
		t := c.tail.Load()
		s := c.slot(t >> shift)
		for range lingerLooks {
			if s.seq.Load() == t>>shift {
				return true
			}
		}
		if t = c.tail.Load(); t&flags != 0 || c.slot(t>>shift) != s {
			return true
		}
		pool.Yield()
	}
	c.linger.CompareAndSwap(left, left-1)
	return false
}
