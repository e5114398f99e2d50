package tasksync

import (
	"context"
	"sync"

	"github.com/lockstep-go/lockstep/pool"
)

// Cond is a condition that tasks wait for. L is a lock of this package, or any other; set it before use. It has the meaning
// of sync.Cond: a wait may find that the condition does not hold any more, so it stands in a loop.
//
// # Protocol
//
// Who waits is on the list before it unlocks L, so a Signal of anybody who has locked L after that finds it: no wake-up is lost.
type Cond struct {
	// L is held when the condition is looked at or changed.
	L sync.Locker

	_    noCopy
	list list
}

// NewCond returns a condition with the lock l.
func NewCond(l sync.Locker) *Cond { return &Cond{L: l} }

// Wait unlocks c.L, waits for Signal or Broadcast, and locks c.L again.
func (c *Cond) Wait() {
	n := c.list.lasting()
	c.enlist(n)
	err := n.Park(background, pool.WhyCond)
	c.relock()
	if err != nil {
		c.forget(n)
		n.Exit()
	}
	c.list.keep(n)
}

// WaitContext is Wait that gives up when ctx ends. It returns nil when it was woken, else the cause of ctx or of a forced Shutdown; c.L is
// locked in any case. A Signal that meets the end of ctx wakes another one.
func (c *Cond) WaitContext(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	n := c.list.node(ctx)
	c.enlist(n)
	err := n.Park(ctx, pool.WhyCond)
	c.relock()
	if err != nil {
		c.forget(n)
		n.ExitIfDue()
	}
	c.list.done(n, ctx)
	return err
}

// Signal wakes the one that has waited longest, if any. c.L may be held or not.
func (c *Cond) Signal() {
	if pool.Stepping() {
		pool.Point(pool.OpSignal, c)
	}
	c.list.mu.Lock()
	n := c.list.claim()
	c.list.mu.Unlock()
	if n != nil {
		n.Deliver()
	}
}

// Broadcast wakes all who wait. c.L may be held or not.
func (c *Cond) Broadcast() {
	if pool.Stepping() {
		pool.Point(pool.OpBroadcast, c)
	}
	var woken claimed
	c.list.mu.Lock()
	for n := c.list.claim(); n != nil; n = c.list.claim() {
		woken.add(n)
	}
	c.list.mu.Unlock()
	woken.deliver()
}

// enlist puts n on the list and unlocks c.L.
func (c *Cond) enlist(n *node) {
	if pool.Stepping() {
		pool.Point(pool.OpCondWait, c)
	}
	c.list.mu.Lock()
	pool.Inner(c)
	c.list.push(n)
	c.list.mu.Unlock()
	unlocked := false
	defer func() {
		if !unlocked {
			c.withdraw(n)
		}
	}()
	c.L.Unlock()
	unlocked = true
	if pool.Stepping() {
		pool.About(pool.OpCondWait, c)
	}
}

// withdraw takes n off the list, because c.L was not locked, and that is a panic. A Signal that n has got is passed on.
func (c *Cond) withdraw(n *node) {
	c.forget(n)
	if !n.Claim() {
		n.WaitAlways(pool.WhyCond) // for a delivery that is on its way; it would end another wait of the task
		c.Signal()
	}
}

// relock locks c.L, also in a task that a forced shutdown has ended: its deferred calls unlock it.
func (c *Cond) relock() {
	if l, ok := c.L.(interface{ lockAlways() }); ok {
		l.lockAlways()
	} else {
		c.L.Lock()
	}
}

func (c *Cond) forget(n *node) {
	c.list.mu.Lock()
	pool.Inner(c)
	c.list.remove(n)
	c.list.mu.Unlock()
}
