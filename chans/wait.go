package chans

import (
	"context"

	"github.com/lockstep-go/lockstep/internal/spin"
	"github.com/lockstep-go/lockstep/pool"
)

// sendSlow is Send under the lock. ctx may be noContext. It parks itself, and not in a function that it
// calls: each frame between a task and the switch costs 8 ns.
func (c *Chan[T]) sendSlow(ctx context.Context, v T) error {
	var n *node[T]
	again := mayKeep(ctx)
	if c.maySend() && c.ring.send(v) {
		return nil
	}
	for i := 0; ; i++ {
		c.mu.Lock()
		o, other := c.offer(v)
		if o == wait {
			if n == nil && again {
				n = c.spare.get()
			}
			if n != nil {
				n.v, n.ok = v, false
				n.own.Prepare()
				if c.enlistSender(n) {
					c.mu.Unlock()
					if err := n.own.Park(waitFor(ctx), pool.WhySend); err != nil {
						c.forget(ctx, &c.senders, n)
						return err
					}
					return c.sent(n, again)
				}
			}
		}
		c.mu.Unlock()
		switch {
		case o == done:
			c.giveBack(n)
			c.deliver(other)
			return nil
		case o == ended:
			return ErrClosed
		case o == starved:
			c.supply()
		case o == wait && n == nil:
			n = newNode[T]()
		default:
			pause(i)
		}
	}
}

// sent is how a wait of a Send has ended.
func (c *Chan[T]) sent(n *node[T], again bool) error {
	ok := n.ok
	if again {
		c.giveBack(n)
	}
	if !ok {
		return ErrClosed
	}
	return nil
}

// receiveSlow is Receive under the lock. ctx may be noContext.
func (c *Chan[T]) receiveSlow(ctx context.Context) (T, error) {
	var n *node[T]
	again := mayKeep(ctx)
	if c.mayReceive() {
		if v, ok := c.ring.receive(); ok {
			return v, nil
		}
	}
	for i := 0; ; i++ {
		c.mu.Lock()
		v, o, other := c.accept()
		if o == wait {
			if n == nil && again {
				n = c.spare.get()
			}
			if n != nil {
				n.ok = false
				n.own.Prepare()
				if c.enlistReceiver(n) {
					c.mu.Unlock()
					if err := n.own.Park(waitFor(ctx), pool.WhyReceive); err != nil {
						c.forget(ctx, &c.receivers, n)
						return v, err
					}
					return c.received(n, again)
				}
			}
		}
		c.mu.Unlock()
		switch {
		case o == done:
			c.giveBack(n)
			c.deliver(other)
			return v, nil
		case o == ended:
			return v, ErrClosed
		case o == wait && n == nil:
			n = newNode[T]()
		default:
			pause(i)
		}
	}
}

// received is how a wait of a Receive has ended.
func (c *Chan[T]) received(n *node[T], again bool) (v T, err error) {
	v, ok := n.v, n.ok
	if again {
		c.giveBack(n)
	}
	if !ok {
		return v, ErrClosed
	}
	return v, nil
}

// trySend is TrySend under the lock.
func (c *Chan[T]) trySend(v T) error {
	for i := 0; ; i++ {
		c.mu.Lock()
		o, other := c.offer(v)
		c.mu.Unlock()
		switch o {
		case done:
			c.deliver(other)
			return nil
		case ended:
			return ErrClosed
		case wait:
			return ErrNotReady
		case starved:
			c.supply()
		}
		pause(i)
	}
}

// tryReceive is TryReceive under the lock.
func (c *Chan[T]) tryReceive() (T, error) {
	for i := 0; ; i++ {
		c.mu.Lock()
		v, o, other := c.accept()
		c.mu.Unlock()
		switch o {
		case done:
			c.deliver(other)
			return v, nil
		case ended:
			return v, ErrClosed
		case wait:
			return v, ErrNotReady
		}
		pause(i)
	}
}

// newNode returns a node that is prepared, so that preparing it again, under the lock, does not allocate.
func newNode[T any]() *node[T] {
	n := new(node[T])
	n.w = &n.own
	n.own.Prepare()
	return n
}

// mayKeep reports whether the node of a wait with ctx, which may be noContext, comes from the channel's spare ones and goes back
// there. A goroutine's does not: it has a native channel, which, if it was made in a bubble of synctest, nobody may touch outside.
func mayKeep(ctx context.Context) bool {
	return (ctx == nil || !pool.MayEnd(ctx)) && pool.Current() != nil
}

// giveBack keeps n, if not nil, for the next wait. Its wait has returned or never begun.
func (c *Chan[T]) giveBack(n *node[T]) {
	if n == nil || !n.own.Forget() {
		return
	}
	var zero T
	n.v = zero
	c.mu.Lock()
	c.spare.put(n)
	c.mu.Unlock()
}

// forget takes n off the list after its wait has ended without the operation. It ends the
// task, if a forced shutdown has ended the wait and that is due or there is no error to return.
func (c *Chan[T]) forget(ctx context.Context, l *list[T], n *node[T]) {
	c.mu.Lock()
	l.remove(n)
	c.calm()
	c.mu.Unlock()
	if ctx == nil {
		n.own.Exit()
	}
	n.own.ExitIfDue()
}

// supply makes room in an unbounded channel.
func (c *Chan[T]) supply() {
	s := new(segment[T])
	c.mu.Lock()
	c.queue.supply(s)
	c.mu.Unlock()
}

// noContext is that of Put and Get.
var noContext context.Context

// waitFor is the context to wait with.
func waitFor(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// pause is called between two looks, number i and the next, at what another thread is about to finish.
func pause(i int) {
	pool.InnerYield()
	spin.Pause(i)
}
