package pool

import (
	"context"
	"sync"
	"time"
)

// TaskContext is the context that a task receives. Its zero cost is the point: most
// tasks look at it once or never, so the standard library's cancel context
// behind it is made only when somebody needs its channel, derives from it, or
// cancels the task. It must not be copied, and is never used for another task, since tasks
// may keep it.
type TaskContext struct {
	parent context.Context
	queue  *Queue

	mu    sync.Mutex
	over  bool           // the task has ended
	inner *cancelContext // nil until somebody needs it
	first *Waiter        // a wait of the task that Cancel ends, without an inner context
	more  Waiters        // and further ones
}

// cancelContext is a context of the standard library's and what ends it.
type cancelContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

// QueueKey is the key under which a context carries its [Queue].
type QueueKey struct{}

// Init sets the context up. parent is what the task was spawned with.
func (c *TaskContext) Init(parent context.Context, q *Queue) { c.parent, c.queue = parent, q }

// Queue returns the task's queue.
func (c *TaskContext) Queue() *Queue { return c.queue }

// Deadline returns the parent's deadline.
func (c *TaskContext) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Done returns a channel that is closed when the task is cancelled.
func (c *TaskContext) Done() <-chan struct{} { return c.full().Done() }

// Err returns why the context has ended, nil while it has not.
func (c *TaskContext) Err() error {
	c.mu.Lock()
	inner, over := c.inner, c.over
	c.mu.Unlock()
	switch {
	case inner != nil:
		return inner.Err()
	case over || c.queue.p.Killed():
		return c.full().Err()
	}
	return c.parent.Err()
}

// Value returns the task's queue for [QueueKey], and otherwise the parent's value.
func (c *TaskContext) Value(key any) any {
	switch key.(type) {
	case QueueKey:
		return c.queue
	case *int:
		// The package context finds its own cancel contexts under a key of this type, in Cause
		// and when a context is derived. The answer must be the one behind this
		// context, not the parent's.
		return c.full().Value(key)
	}
	return c.parent.Value(key)
}

// Cancel ends the context with the given cause, nil for context.Canceled.
func (c *TaskContext) Cancel(cause error) {
	inner := c.full()
	inner.cancel(cause)
	c.mu.Lock()
	first, more := c.first, c.more
	c.first, c.more = nil, Waiters{}
	c.mu.Unlock()
	endAll(first, more, context.Cause(inner))
}

func endAll(first *Waiter, more Waiters, cause error) {
	if first != nil {
		first.end(cause)
	}
	for _, x := range more.All() {
		x.end(cause)
	}
}

// watch makes the end of the context end the wait x. It returns false if that needs the channel: when the
// context has one already, or something above it can end that is not a task's context. Most
// tasks wait with the context they were given, for which this costs a lock and not a
// cancel context with a goroutine at the end.
func (c *TaskContext) watch(x *Waiter, levels int) bool {
	switch parent := c.parent.(type) {
	case *TaskContext:
		if levels == 0 || !parent.watch(x, levels-1) {
			return false
		}
	default:
		if c.parent.Done() != nil {
			return false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.inner != nil || c.over || c.queue.p.Killed() || len(c.more.All()) == watchMost:
		return false
	case c.first == nil:
		c.first = x
	default:
		c.more.Add(x)
	}
	return true
}

// Bounds of what watch does itself. Each level costs a lock and a frame for each wait, and each wait at the
// same context a comparison for each other one; without bounds, a chain or a fan of n tasks costs n*n.
const (
	watchLevels = 3
	watchMost   = 8
)

// unwatch forgets x, here and above.
func (c *TaskContext) unwatch(x *Waiter, levels int) {
	if parent, ok := c.parent.(*TaskContext); ok && levels > 0 {
		parent.unwatch(x, levels-1)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == x {
		c.first = nil
	} else {
		c.more.Remove(x)
	}
}

// Cause is context.Cause of it, without making the cancel context.
func (c *TaskContext) Cause() error {
	c.mu.Lock()
	inner := c.inner
	c.mu.Unlock()
	if inner == nil && !c.queue.p.Killed() {
		return context.Cause(c.parent)
	}
	return context.Cause(c.full())
}

// Release ends the context after its task. If nobody has needed the cancel context
// until now, it is made, and cancelled, for whoever still asks.
func (c *TaskContext) Release() {
	c.mu.Lock()
	inner := c.inner
	c.over = true
	first, more := c.first, c.more // waits of tasks that this context was handed on to
	c.first, c.more = nil, Waiters{}
	c.mu.Unlock()
	if inner != nil {
		inner.cancel(nil)
	}
	endAll(first, more, context.Canceled)
}

// full returns the standard library's cancel context, made now if need be. A forced
// shutdown stores killed and then cancels the contexts of all tasks; this makes the
// context and then looks at killed. One of the two cancels it.
func (c *TaskContext) full() *cancelContext {
	c.mu.Lock()
	made, over := c.inner == nil, c.over
	if made {
		ctx, cancel := context.WithCancelCause(c.parent)
		c.inner = &cancelContext{ctx, cancel}
	}
	inner := c.inner
	c.mu.Unlock()
	switch {
	case made && over:
		inner.cancel(nil)
	case made && c.queue.p.Killed():
		inner.cancel(ErrShutdown)
	}
	return inner
}

// SetContext says that the running task has received c, nil that it no longer has it.
func (co *Coroutine) SetContext(c *TaskContext) { co.ctx.Store(c) }

// cancelTasks ends the contexts of all tasks that have one.
func (p *Pool) cancelTasks() {
	for _, w := range *p.everyone.Load() {
		w.allMu.Lock()
		var contexts []*TaskContext
		for _, co := range w.all {
			if c := co.ctx.Load(); c != nil {
				contexts = append(contexts, c)
			}
		}
		w.allMu.Unlock()
		for _, c := range contexts {
			c.Cancel(ErrShutdown)
		}
	}
}
