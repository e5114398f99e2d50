package pool

import (
	"context"
	"slices"
	"sync"
)

// Capacity bounds the tasks that are accepted and not started. Callers wait in
// the order in which they came; a task parks, a goroutine blocks.
type Capacity struct {
	p       *Pool
	mu      sync.Mutex
	limit   int
	used    int
	waiters []roomWaiter
	closed  bool // for all but tasks of the pool, which may still start children
}

// roomWaiter waits for a place.
type roomWaiter struct {
	*Waiter
	inside bool // it is a task of the pool, or in a section of one
}

// Try takes a place if there is one.
func (c *Capacity) Try() bool {
	if Stepping() {
		Point(OpRoom, c)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed && !c.p.Inside() || c.used >= c.limit || len(c.waiters) > 0 {
		return false
	}
	c.used++
	return true
}

// Acquire takes a place, waiting for one. It returns ErrClosed when the pool closes,
// or the cause of ctx.
func (c *Capacity) Acquire(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if Stepping() {
		Point(OpRoom, c)
	}
	c.mu.Lock()
	if c.closed && !c.p.Inside() {
		c.mu.Unlock()
		return ErrClosed
	}
	if c.used < c.limit && len(c.waiters) == 0 {
		c.used++
		c.mu.Unlock()
		return nil
	}
	x := NewWaiter()
	c.waiters = append(c.waiters, roomWaiter{x, c.p.Inside()})
	c.mu.Unlock()
	Inner(c)
	if err := x.Wait(ctx, WhyCapacity); err != nil {
		c.forget(x)
		return err
	}
	return nil
}

// Release gives a place back: to the first who waits for one.
func (c *Capacity) Release() {
	Inner(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiters) > 0 {
		x := c.waiters[0]
		c.waiters[0] = roomWaiter{}
		c.waiters = c.waiters[1:]
		if x.Wake() {
			return // the place is handed over
		}
	}
	c.used--
}

func (c *Capacity) forget(x *Waiter) {
	Inner(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiters = slices.DeleteFunc(c.waiters, func(y roomWaiter) bool { return x == y.Waiter })
}

// Capacity returns what bounds the queue's pool, nil if nothing does.
func (q *Queue) Capacity() *Capacity { return q.p.capacity }

// close sends everybody away who waits for a place, except tasks of the pool.
func (c *Capacity) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.waiters = slices.DeleteFunc(c.waiters, func(x roomWaiter) bool {
		if !x.inside {
			x.end(ErrClosed)
		}
		return !x.inside
	})
}
