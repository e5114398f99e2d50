package lockstep

import (
	"context"
	"runtime"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/queue"
)

// handle is a task that somebody may wait for, in what Task and Run share: its
// context, how it ended, and who waits.
//
// # Protocol
//
// done goes from 0 to 1 once, under mu, after value and err are written; whoever
// reads 1 may read them. A waiter registers under mu if done is 0; finish takes all waiters
// under mu and wakes them. So a waiter either sees done or is woken.
type handle struct {
	ctx      pool.TaskContext
	err      error
	returned bool            // f returned, as opposed to panicked or exited
	exited   bool            // it ended by Goexit; err alone may be ErrGoexit that f returned
	runner   *pool.Coroutine // while the task runs
	panics   bool            // panics are for the caller, who waits (Run)
	panicked any

	done  atomic.Uint32
	mu    sync.Mutex
	taken bool         // first is in use, or has been
	first pool.Waiter  // of whoever waits first, which mostly is all
	more  pool.Waiters // and further ones
}

// spawn gives the task to q; run is the function that calls begin and end.
func (h *handle) spawn(ctx context.Context, q *pool.Queue, run func(), pc uintptr) {
	h.ctx.Init(ctx, q)
	if pool.Stepping() {
		pool.Point(pool.OpSpawn, nil)
	}
	if err := accept(ctx, q, run, gid.Site(pc)|queue.Handled, "Spawn"); err != nil {
		h.finish(err)
	}
}

// begin reports whether the task's function may be called; if not the handle is finished.
func (h *handle) begin() bool {
	if err := h.ctx.Cause(); err != nil {
		h.finish(err)
		return false
	}
	co := pool.Current()
	pool.Inner(h)
	h.mu.Lock()
	h.runner = co
	h.mu.Unlock()
	if co != nil {
		co.SetContext(&h.ctx)
	}
	return true
}

// end is deferred around the task's function.
func (h *handle) end() {
	if !h.returned {
		if v := recover(); v != nil && h.panics {
			h.panicked = v
		} else {
			// A panic handler may call Goexit, as t.Fatal does. The task has ended all the same.
			h.err = ErrGoexit
			defer h.ended()
			h.err = outcome(v, h.ctx.Queue().Pool())
			h.exited = h.err == ErrGoexit
			return
		}
	}
	h.ended()
}

func (h *handle) ended() {
	if co := pool.Current(); co != nil {
		co.SetContext(nil)
	}
	h.ctx.Release()
	h.finish(h.err)
}

// outcome is the error of a task that did not return. v is what the deferred call that
// calls outcome has recovered; the frames of a panic must still be on the stack.
func outcome(v any, p *pool.Pool) error {
	switch {
	case v != nil:
		return p.Panicked(v)
	case p.Killed():
		return ErrShutdown
	}
	return ErrGoexit
}

// finish ends the handle and wakes who waits for it.
func (h *handle) finish(err error) {
	if pool.Stepping() {
		pool.Point(pool.OpEnd, h)
	}
	h.mu.Lock()
	h.err, h.runner = err, nil
	h.done.Store(1)
	taken, more := h.taken, h.more
	h.more = pool.Waiters{}
	h.mu.Unlock()
	if taken {
		pool.Inner(h)
		h.first.Wake()
	}
	for _, x := range more.All() {
		pool.Inner(h)
		x.Wake()
	}
}

// wait waits for the end; it returns why it did not, not what the task returned.
func (h *handle) wait(ctx context.Context) error {
	if ctx == nil { // seen after the registration, the wake would be left for the task's next wait
		panic("lockstep: Wait with a nil context")
	}
	if pool.Stepping() {
		pool.Point(pool.OpTask, h)
	}
	x := h.register()
	if x == nil {
		return nil
	}
	err := x.Wait(ctx, pool.WhyTask)
	if err != nil {
		h.forget(x)
	}
	x.Forget()
	return err
}

func (h *handle) register() *pool.Waiter {
	if h.done.Load() != 0 {
		return nil
	}
	pool.Inner(h)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done.Load() != 0 {
		return nil
	}
	if h.runner != nil && h.runner == pool.Current() {
		panic("lockstep: a task waits for itself")
	}
	if !h.taken {
		h.taken = true
		h.first.Prepare()
		return &h.first
	}
	x := pool.NewWaiter()
	h.more.Add(x)
	return x
}

func (h *handle) forget(x *pool.Waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.more.Remove(x)
}

// call is the task of Run.
type call struct {
	handle
	f     func(context.Context) error
	begun atomic.Uint32 // by whoever comes first: the task, or the end of the caller's context
}

func (q *TaskQueue) run(ctx context.Context, f func(context.Context) error, pc uintptr) error {
	return runIn(ctx, q.q, f, pc)
}

func runIn(ctx context.Context, q *pool.Queue, f func(context.Context) error, pc uintptr) error {
	mustFunc(f == nil, "Run")
	mustContext(ctx, "Run")
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if co := pool.Current(); co != nil && co.Pool() == q.Pool() && co.Queue() == q.ID() {
		if named, ok := ctx.Value(pool.QueueKey{}).(*pool.Queue); ok && named != q {
			ctx = context.WithValue(ctx, pool.QueueKey{}, q) // as it would be in a task of q
		}
		return f(ctx)
	}
	c := &call{f: f}
	c.panics = true
	c.spawn(ctx, q, c.run, pc)
	if x := c.register(); x != nil {
		if err := c.join(ctx, x); err != nil {
			return err // f will not be called
		}
	}
	switch {
	case c.panicked != nil:
		panic(c.panicked)
	case c.exited:
		runtime.Goexit()
	}
	return c.err
}

// join waits for the call to end; an error means that f will not be called. If f has begun,
// join waits on, also when a forced shutdown ends the calling task inside it by Goexit.
func (c *call) join(ctx context.Context, x *pool.Waiter) (err error) {
	err = ErrShutdown
	defer func() {
		if err != nil && !c.begun.CompareAndSwap(0, 1) {
			c.waitAlways()
			err = nil
		}
	}()
	return x.Wait(ctx, pool.WhyTask)
}

// waitAlways waits for a call that has begun: its caller's variables are in use.
func (c *call) waitAlways() {
	if x := c.register(); x != nil {
		x.WaitAlways(pool.WhyTask)
	}
}

func (c *call) run() {
	if !c.begun.CompareAndSwap(0, 1) || !c.begin() {
		return
	}
	defer c.end()
	c.err = c.f(&c.ctx)
	c.returned = true
}
