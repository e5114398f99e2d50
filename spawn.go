package lockstep

import (
	"context"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// Go runs f as a task: of the calling task's queue, or, outside a task, of the default pool's
// default queue. See [Pool.Go].
//
//go:noinline
func Go(f func()) {
	pc := gid.CallerPC()
	if co := pool.Current(); co != nil {
		if accept(context.Background(), co.Pool().Queue(co.Queue()), f, gid.Site(pc), "Go") != nil {
			Yield() // as in TaskQueue.spawn; a task's own pool refuses it for no other reason
		}
		return
	}
	Default().def.spawn(f, pc)
}

// spawn is Go for a queue; pc is in the code that spawns.
func (q *TaskQueue) spawn(f func(), pc uintptr) {
	switch err := accept(context.Background(), q.q, f, gid.Site(pc), "Go"); err {
	case nil:
	case ErrShutdown:
		Yield() // the calling task was waiting for room; it ends here, as in any wait
	default:
		panic("lockstep: Go on a closed pool, like a send on a closed channel; use TryGo or Submit where that may happen")
	}
}

func (q *TaskQueue) try(f func(), pc uintptr) bool {
	mustFunc(f == nil, "TryGo")
	c := q.q.Capacity()
	if c == nil {
		return q.q.Spawn(f, gid.Site(pc))
	}
	return c.Try() && spawnCounted(q.q, c, f, gid.Site(pc)) == nil
}

func (q *TaskQueue) submit(ctx context.Context, f func(), pc uintptr) error {
	mustContext(ctx, "Submit")
	if err := context.Cause(ctx); err != nil {
		mustFunc(f == nil, "Submit")
		return err
	}
	return accept(ctx, q.q, f, gid.Site(pc), "Submit")
}

// accept gives a task to a queue, waiting for room if the pool is bounded.
func accept(ctx context.Context, q *pool.Queue, f func(), site uint32, call string) error {
	mustFunc(f == nil, call)
	if c := q.Capacity(); c != nil {
		if err := c.Acquire(ctx); err != nil {
			return err
		}
		return spawnCounted(q, c, f, site)
	}
	if !q.Spawn(f, site) {
		return ErrClosed
	}
	return nil
}

// spawnCounted spawns a task that holds a place until it begins.
func spawnCounted(q *pool.Queue, c *pool.Capacity, f func(), site uint32) error {
	if !q.Spawn(func() { c.Release(); f() }, site) {
		c.Release()
		return ErrClosed
	}
	return nil
}

func mustFunc(isNil bool, call string) {
	if isNil {
		panic("lockstep: " + call + " of a nil func")
	}
}

// queueFor decides where a task goes: the context's queue, else the calling
// task's, else the default pool's default queue.
func queueFor(ctx context.Context) *pool.Queue {
	if q, ok := ctx.Value(pool.QueueKey{}).(*pool.Queue); ok {
		return q
	}
	if co := pool.Current(); co != nil {
		return co.Pool().Queue(co.Queue())
	}
	return Default().def.q
}

func mustContext(ctx context.Context, call string) {
	if ctx == nil {
		panic("lockstep: " + call + " with a nil context; use context.Background")
	}
}

// Task is the handle of a task that returns a T. [Spawn] makes it. All
// methods are safe for concurrent use, any number of times.
type Task[T any] struct {
	handle
	value T
	f     func(context.Context) (T, error)
}

// Spawn runs f as a task and returns its handle. The task goes to the queue that ctx
// carries ([TaskQueue.Context]), else to the calling task's, else to the default pool's
// default queue. f receives a context derived from ctx, which ends when ctx does, when
// the handle's Cancel is called, and when f has returned.
//
// If the context ends before f was called, f is not called, and Wait returns the cause. If
// the pool is closed, Wait returns ErrClosed. The call synchronizes before f, and f's
// return before the return of Wait. It panics if f or ctx is nil.
//
//go:noinline
func Spawn[T any](ctx context.Context, f func(context.Context) (T, error)) *Task[T] {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Spawn")
	mustContext(ctx, "Spawn")
	t := &Task[T]{f: f}
	t.spawn(ctx, queueFor(ctx), t.run, pc)
	return t
}

func (t *Task[T]) run() {
	if !t.begin() {
		return
	}
	defer t.end()
	t.value, t.err = t.f(&t.ctx)
	t.returned = true
}

// Wait waits until the task has ended and returns what it returned, or why it did not:
// the cause of its context if it was not begun, [ErrGoexit], [ErrClosed], [ErrShutdown],
// or a *[PanicError] if the pool has a panic handler. If ctx ends first, Wait returns the cause
// of ctx, and the task goes on.
//
// Inside a task Wait parks the task, and the worker goes on with others. A task that
// waits for itself panics.
func (t *Task[T]) Wait(ctx context.Context) (T, error) {
	if err := t.wait(ctx); err != nil {
		var zero T
		return zero, err
	}
	return t.value, t.err
}

// Cancel ends the task's context with the given cause; nil stands for
// context.Canceled. It does not wait. A task that has not begun will not
// begin; one that has must look at its context itself.
func (t *Task[T]) Cancel(cause error) {
	if pool.Stepping() {
		pool.Point(pool.OpCancel, &t.handle)
	}
	t.ctx.Cancel(cause)
}

// Run is [Pool.Run] in the queue that ctx carries, else the calling task's, else the default
// pool's default queue.
//
//go:noinline
func Run(ctx context.Context, f func(context.Context) error) error {
	return runIn(ctx, queueFor(ctx), f, gid.CallerPC())
}
