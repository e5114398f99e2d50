package lockstep

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/queue"
)

// Group runs tasks that work on parts of one thing. It has the methods and the
// meaning of golang.org/x/sync/errgroup, from which the idea comes. The zero value is
// usable: it does not cancel on error, has no limit, and spawns into the calling task's
// queue or, outside a task, the default pool's. A Group must not be copied after first use.
type Group struct {
	cancel context.CancelCauseFunc
	queue  *pool.Queue // nil: decided at each Go

	mu      sync.Mutex
	running int
	limit   int // 0: none
	limited bool
	err     error
	waiters []*pool.Waiter // in Wait
	turns   []*pool.Waiter // in Go, for a place
}

// NewGroup returns a group and a context derived from ctx, which ends when a function
// of the group first returns an error, or when Wait first returns. Tasks
// go to the queue that ctx carries, else where those of the zero Group go.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	g := &Group{}
	if q, ok := ctx.Value(pool.QueueKey{}).(*pool.Queue); ok {
		g.queue = q
	}
	ctx, g.cancel = context.WithCancelCause(ctx)
	return g, ctx
}

// SetLimit allows at most n tasks of the group at a time; a negative n means no limit,
// and 0 that none may be added. It panics while tasks of the group are active.
func (g *Group) SetLimit(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running > 0 {
		panic(fmt.Sprintf("lockstep: Group.SetLimit while %d tasks of the group are active", g.running))
	}
	g.limited, g.limit = n >= 0, max(n, 0)
}

// Go runs f as a task. If the group is at its limit, it waits: a task parks, a
// goroutine blocks. The first error is what Wait returns. It panics if f is nil.
//
//go:noinline
func (g *Group) Go(f func() error) {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Group.Go")
	if pool.Stepping() {
		pool.Point(pool.OpSpawn, g)
	}
	g.mu.Lock()
	if g.full() {
		x := pool.NewWaiter()
		g.turns = append(g.turns, x)
		g.mu.Unlock()
		pool.Inner(g)
		if err := x.Wait(context.Background(), pool.WhyGroup); err != nil {
			g.giveUp(x, err) // a forced shutdown; the place was not taken
			return
		}
	} else {
		g.running++
		g.mu.Unlock()
	}
	g.start(f, pc)
}

// TryGo is Go, except that it returns false, and does nothing, if the group is at its limit.
//
//go:noinline
func (g *Group) TryGo(f func() error) bool {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Group.TryGo")
	g.point()
	g.mu.Lock()
	if g.full() {
		g.mu.Unlock()
		return false
	}
	g.running++
	g.mu.Unlock()
	g.start(f, pc)
	return true
}

// point is where stepped tasks may change.
func (g *Group) point() {
	if pool.Stepping() {
		pool.Point(pool.OpGroup, g)
	}
}

// full reports whether the next task has to wait for a place. g.mu is held.
func (g *Group) full() bool { return g.limited && (g.running >= g.limit || len(g.turns) > 0) }

// Wait waits until all tasks of the group have ended, ends the group's context, and
// returns the first error: of a function, or why one had none ([ErrGoexit], [ErrClosed],
// [ErrShutdown], *[PanicError]). Inside a task it parks the task. The return of each f
// synchronizes before the return of Wait.
func (g *Group) Wait() error {
	g.point()
	g.mu.Lock()
	if g.running > 0 {
		x := pool.NewWaiter()
		g.waiters = append(g.waiters, x)
		g.mu.Unlock()
		pool.Inner(g)
		if err := x.Wait(context.Background(), pool.WhyGroup); err != nil {
			return err // a forced shutdown
		}
		pool.Inner(g)
		g.mu.Lock()
	}
	err := g.err
	g.mu.Unlock()
	if g.cancel != nil {
		g.cancel(err)
	}
	return err
}

// member is a task of a group.
type member struct {
	g        *Group
	q        *pool.Queue
	f        func() error
	err      error
	returned bool
}

func (g *Group) start(f func() error, pc uintptr) {
	m := &member{g: g, q: g.queue, f: f}
	if m.q == nil {
		m.q = queueFor(context.Background())
	}
	if err := accept(context.Background(), m.q, m.run, gid.Site(pc)|queue.Handled, "Group.Go"); err != nil {
		g.leave(err)
	}
}

func (m *member) run() {
	defer m.end()
	if m.q.Pool().Killed() {
		m.err = ErrShutdown
	} else {
		m.err = m.f()
	}
	m.returned = true
}

func (m *member) end() {
	if m.returned {
		m.g.leave(m.err)
		return
	}
	m.err = ErrGoexit // what stays if the panic handler calls Goexit
	defer func() { m.g.leave(m.err) }()
	m.err = outcome(recover(), m.q.Pool())
}

// leave ends a task of the group: the next one that waits for its place gets it.
func (g *Group) leave(err error) {
	g.point()
	g.mu.Lock()
	if err != nil && g.err == nil {
		g.err = err
		if g.cancel != nil {
			g.cancel(err)
		}
	}
	for len(g.turns) > 0 {
		x := g.turns[0]
		g.turns[0] = nil
		g.turns = g.turns[1:]
		if x.Wake() {
			g.mu.Unlock()
			return
		}
	}
	g.running--
	var waiters []*pool.Waiter
	if g.running == 0 {
		waiters, g.waiters = g.waiters, nil
	}
	g.mu.Unlock()
	for _, x := range waiters {
		pool.Inner(g)
		x.Wake()
	}
}

// giveUp ends the wait of a Go for a place that it did not get.
func (g *Group) giveUp(x *pool.Waiter, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns = slices.DeleteFunc(g.turns, func(y *pool.Waiter) bool { return x == y })
	if g.err == nil {
		g.err = err
	}
}
