package chans

import "github.com/lockstep-go/lockstep/pool"

// What happens to an operation under the channel's lock.
type outcome uint8

const (
	done    outcome = iota
	wait            // it would have to
	ended           // the channel is closed
	pending         // another thread is in the middle of something: look again soon
	starved         // another segment is needed
)

// offer sends v if that is possible at once. other, if not nil, is who was
// served and waits for the delivery, which is made when the lock is left. The lock is held.
func (c *Chan[T]) offer(v T) (o outcome, other *pool.Waiter) {
	if c.tail.Load()&closed != 0 {
		return ended, nil
	}
	if n := c.receivers.claim(); n != nil {
		n.v, n.ok = v, true
		c.calm()
		return done, n.w
	}
	c.calm()
	switch c.kind {
	case rendezvous:
		return wait, nil
	case unbounded:
		if !c.queue.push(v) {
			return starved, nil
		}
		return done, nil
	}
	if c.ring.send(v) {
		return done, nil
	}
	pool.Inner(&c.ring)
	if t := c.tail.Load(); c.full(t, c.head.Load()) && c.tail.Load() == t {
		return wait, nil
	}
	return pending, nil
}

// accept receives a value if that is possible at once. The rest is as with offer.
func (c *Chan[T]) accept() (v T, o outcome, other *pool.Waiter) {
	switch c.kind {
	case bounded:
		return c.acceptRing()
	case unbounded:
		if v, ok := c.queue.pop(); ok {
			return v, done, nil
		}
	default:
		if n := c.senders.claim(); n != nil {
			v, n.v = n.v, v
			n.ok = true
			return v, done, n.w
		}
	}
	if c.tail.Load()&closed != 0 {
		return v, ended, nil
	}
	return v, wait, nil
}

func (c *Chan[T]) acceptRing() (v T, o outcome, other *pool.Waiter) {
	if c.senders.first != nil {
		if !c.written() {
			return v, pending, nil
		}
		if n := c.senders.claim(); n != nil {
			var zero T
			v, n.v = c.exchange(n.v), zero
			n.ok = true
			c.calm()
			return v, done, n.w
		}
	}
	c.calm()
	if v, ok := c.ring.receive(); ok {
		return v, done, nil
	}
	h := c.head.Load()
	pool.Inner(&c.ring)
	t := c.tail.Load()
	switch {
	case t>>shift != h>>shift:
		return v, pending, nil
	case t&closed != 0:
		return v, ended, nil
	}
	return v, wait, nil
}

// calm takes back the flags of lists that have become empty. The lock is held.
func (c *Chan[T]) calm() {
	if c.kind != bounded {
		return
	}
	if c.receivers.first == nil {
		if t := c.tail.Load(); t&wanted != 0 {
			pool.Inner(&c.ring)
			c.tail.Store(t &^ wanted) // nobody else changes a word that is wanted
		}
	}
	if c.senders.first == nil {
		if h := c.head.Load(); h&wanted != 0 {
			pool.Inner(&c.ring)
			c.head.Store(h &^ wanted)
		}
	}
}

// enlistSender makes n wait for room. It returns false if the ring is no longer full. The lock is held.
func (c *Chan[T]) enlistSender(n *node[T]) bool {
	if c.kind == bounded {
		if h := c.head.Load(); h&wanted == 0 {
			pool.Inner(&c.ring)
			if !c.full(c.tail.Load(), h) || !c.head.CompareAndSwap(h, h|wanted) {
				return false
			}
		}
	}
	pool.Inner(&c.ring)
	c.senders.push(n)
	return true
}

// enlistReceiver makes n wait for a value. It returns false if the ring is no longer empty.
// The lock is held.
func (c *Chan[T]) enlistReceiver(n *node[T]) bool {
	if c.kind == bounded {
		if t := c.tail.Load(); t&wanted == 0 {
			pool.Inner(&c.ring)
			if t>>shift != c.head.Load()>>shift || !c.tail.CompareAndSwap(t, t|wanted) {
				return false
			}
		}
	}
	pool.Inner(&c.ring)
	c.receivers.push(n)
	return true
}
