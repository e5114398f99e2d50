package tasksync

import (
	"context"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
)

// WaitGroup waits until a number of things are done. The zero value counts 0. It has the meaning of sync.WaitGroup: an Add from 0 comes before
// the Wait that it is for, and a group may be used again when its Waits have returned.
//
// # Protocol
//
// state is the count, times two, plus one while somebody waits. The bit is set under the list's lock, and only while the count is not 0. Who brings
// the count to 0 with the bit set takes the lock, clears the bit and wakes all.
type WaitGroup struct {
	_     noCopy
	state atomic.Int64
	list  list
}

const (
	groupWaiters = 1
	groupUnit    = 2
)

// Add adds n, which may be negative, to the count. It panics if the count becomes negative.
func (g *WaitGroup) Add(n int) {
	s := g.state.Add(int64(n) * groupUnit)
	if s < 0 {
		panic("lockstep: the count of a tasksync.WaitGroup is negative: more Done than Add")
	}
	if s == groupWaiters {
		g.wakeAll()
	}
}

// Done subtracts one from the count.
func (g *WaitGroup) Done() { g.Add(-1) }

// Go runs f as a task of the calling task's queue, or, outside a task, of the default pool, and counts it until it has ended. A panic
// of f is one of its task: it crashes the process, or reaches the pool's handler, before the count changes.
func (g *WaitGroup) Go(f func()) {
	if f == nil {
		panic("lockstep: WaitGroup.Go of a nil func")
	}
	g.Add(1)
	lockstep.Go(func() {
		defer g.ended()
		f()
	})
}

// ended is deferred around a task's function.
func (g *WaitGroup) ended() {
	defer g.Done() // also if the panic handler panics, or calls Goexit
	if v := recover(); v != nil {
		pool.Current().Pool().Panicked(v)
	}
}

// Wait waits until the count is 0.
func (g *WaitGroup) Wait() {
	n := g.enlist(background)
	if n == nil {
		return
	}
	if n.Park(background, pool.WhyWaitGroup) != nil {
		g.forget(n)
		n.Exit()
	}
	n.done(background)
}

// WaitContext is Wait that gives up when ctx ends. It returns nil if the count was 0, else the cause of ctx or of a forced Shutdown.
func (g *WaitGroup) WaitContext(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	n := g.enlist(ctx)
	if n == nil {
		return nil
	}
	err := n.Park(ctx, pool.WhyWaitGroup)
	if err != nil {
		g.forget(n)
		n.ExitIfDue()
	}
	n.done(ctx)
	return err
}

// enlist puts the caller on the list, or returns nil if the count is 0.
func (g *WaitGroup) enlist(ctx context.Context) *node {
	if g.state.Load()/groupUnit == 0 {
		return nil
	}
	n := newNode(ctx)
	g.list.mu.Lock()
	defer g.list.mu.Unlock()
	for {
		s := g.state.Load()
		if s/groupUnit == 0 { // perhaps with the bit: then whoever brought it there is waiting for this lock
			n.done(ctx)
			return nil
		}
		if s&groupWaiters != 0 || g.state.CompareAndSwap(s, s|groupWaiters) {
			g.list.push(n)
			return n
		}
	}
}

func (g *WaitGroup) wakeAll() {
	var woken claimed
	g.list.mu.Lock()
	if g.state.Load()&groupWaiters != 0 { // an Add of 0 may have been here as well
		g.state.Sub(groupWaiters)
	}
	for n := g.list.claim(); n != nil; n = g.list.claim() {
		woken.add(n)
	}
	g.list.mu.Unlock()
	woken.deliver()
}

func (g *WaitGroup) forget(n *node) {
	g.list.mu.Lock()
	g.list.remove(n)
	g.list.mu.Unlock()
}
