package tasksync

import (
	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/queue"
)

// Go runs f as a task of the calling task's queue, or, outside a task, of the default pool, and counts it until it has ended. A panic
// of f is one of its task: it crashes the process, or reaches the pool's handler, before the count changes. A task that a forced Shutdown
// keeps from beginning is not counted any more either. In a pool with a capacity Go waits for room, as [lockstep.Go] does; on a closed pool it
// panics. It panics if f is nil.
//
//go:noinline
func (g *WaitGroup) Go(f func()) {
	site := gid.Site(gid.CallerPC()) | queue.Handled // run looks whether it may begin
	if f == nil {
		panic("lockstep: WaitGroup.Go of a nil func")
	}
	q, inside := callersQueue()
	run := func() { g.run(f) }
	c := q.Capacity()
	if c != nil {
		if err := c.Acquire(background); err != nil {
			refused(inside)
			return
		}
		run = func() { c.Release(); g.run(f) }
	}
	g.Add(1)
	if !q.Spawn(run, site) {
		if c != nil {
			c.Release()
		}
		g.Done()
		refused(inside)
	}
}

func callersQueue() (q *pool.Queue, inside bool) {
	if co := pool.Current(); co != nil {
		return co.Pool().Queue(co.Queue()), true
	}
	return lockstep.Default().Context(background).Value(pool.QueueKey{}).(*pool.Queue), false
}

// refused ends a Go that the pool did not accept: inside a task, because a forced shutdown has ended its wait for room, and so the task.
func refused(inside bool) {
	if !inside {
		panic("lockstep: WaitGroup.Go on a closed pool, like a send on a closed channel")
	}
	lockstep.Yield()
}

func (g *WaitGroup) run(f func()) {
	defer g.ended()
	if !pool.Current().Pool().Killed() {
		f()
	}
}

// ended is deferred around a task's function.
func (g *WaitGroup) ended() {
	defer g.Done() // also if the panic handler panics, or calls Goexit
	if v := recover(); v != nil {
		pool.Current().Pool().Panicked(v)
	}
}
