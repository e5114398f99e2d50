package tasksync

import (
	"context"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/pool"
)

// WaitGroup waits until a number of things are done. The zero value counts 0. It has the meaning of sync.WaitGroup: an Add from 0 comes before
// the Wait that it is for, and a group may be used again when its Waits have returned.
//
// # Protocol
//
// state is the count, times two, plus one while the list is not empty, which is changed under the list's lock alone. The bit is set only while the
// count is not 0. Who brings the count to 0 with the bit set takes the lock, and, if both are still so, clears the bit and wakes all. They
// may not be: all who waited may have given up meanwhile, and the group be in use again. But if somebody still waits, the one who adds has not
// kept to the rule.
type WaitGroup struct {
	_     noCopy
	state atomic.Int64
	list  list
}

const (
	groupWaiters = 1
	groupUnit    = 2
)

// Add adds n, which may be negative, to the count. It panics if the count becomes negative, or if it finds that it starts a new round while
// a Wait of the last one has not returned.
func (g *WaitGroup) Add(n int) {
	if pool.Stepping() {
		pool.Point(pool.OpAdd, g)
	}
	s := g.state.Add(int64(n) * groupUnit)
	if s < 0 {
		panic("lockstep: the count of a tasksync.WaitGroup is negative: more Done than Add")
	}
	if s&groupWaiters == 0 {
		return
	}
	if s == groupWaiters {
		g.wakeAll()
	} else if n > 0 && s == int64(n)*groupUnit+groupWaiters {
		panic("lockstep: Add of a tasksync.WaitGroup, from 0, while a Wait has not returned")
	}
}

// Done subtracts one from the count.
func (g *WaitGroup) Done() { g.Add(-1) }

// Wait waits until the count is 0.
func (g *WaitGroup) Wait() {
	if pool.Stepping() {
		pool.Point(pool.OpWait, g)
	}
	if g.state.Load()/groupUnit == 0 {
		return
	}
	n := g.list.lasting()
	if g.enlist(n) && n.Park(background, pool.WhyWaitGroup) != nil {
		g.forget(n)
		n.Exit()
	}
	g.list.keep(n)
}

// WaitContext is Wait that gives up when ctx ends. It returns nil if the count was 0, else the cause of ctx or of a forced Shutdown.
func (g *WaitGroup) WaitContext(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if pool.Stepping() {
		pool.Point(pool.OpWait, g)
	}
	if g.state.Load()/groupUnit == 0 {
		return nil
	}
	n := g.list.node(ctx)
	if !g.enlist(n) {
		g.list.done(n, ctx)
		return nil
	}
	err := n.Park(ctx, pool.WhyWaitGroup)
	if err != nil {
		g.forget(n)
		n.ExitIfDue()
	}
	g.list.done(n, ctx)
	return err
}

// enlist puts n on the list, or returns false if the count is 0.
func (g *WaitGroup) enlist(n *node) bool {
	g.list.mu.Lock()
	for {
		s := g.state.Load()
		if s/groupUnit == 0 { // perhaps with the bit: then whoever brought it there is waiting for this lock
			g.list.mu.Unlock()
			return false
		}
		pool.Inner(g)
		if s&groupWaiters != 0 || g.state.CompareAndSwap(s, s|groupWaiters) {
			pool.Inner(g)
			g.list.push(n)
			g.list.mu.Unlock()
			return true
		}
	}
}

func (g *WaitGroup) wakeAll() {
	var woken claimed
	g.list.mu.Lock()
	if g.state.CompareAndSwap(groupWaiters, 0) {
		pool.Inner(g)
		for n := g.list.claim(); n != nil; n = g.list.claim() {
			woken.add(n)
		}
	}
	g.list.mu.Unlock()
	woken.deliver()
}

// forget takes n, whose wait has ended otherwise, off the list.
func (g *WaitGroup) forget(n *node) {
	g.list.mu.Lock()
	g.list.remove(n)
	pool.Inner(g)
	if g.list.first == nil && g.state.Load()&groupWaiters != 0 {
		g.state.Sub(groupWaiters)
	}
	g.list.mu.Unlock()
}
