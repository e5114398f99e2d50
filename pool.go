package lockstep

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// Pool is a set of workers and their task queues. Make one with [New]; the zero
// value is not usable. All methods are safe for concurrent use, from tasks and from
// ordinary goroutines.
type Pool struct {
	p      *pool.Pool
	queues map[string]*TaskQueue
	def    *TaskQueue
}

// TaskQueue is a named class of work of a pool. Get one with [Pool.TaskQueue]. All
// methods are safe for concurrent use.
type TaskQueue struct {
	p *Pool
	q *pool.Queue
}

// New starts a pool. If any option is wrong it starts nothing and returns an error
// that names every problem. A pool that is not needed any more must be
// closed, or its threads stay.
func New(opts ...Option) (*Pool, error) {
	cfg, err := configure(opts)
	if err != nil {
		return nil, err
	}
	p := &Pool{p: pool.New(cfg), queues: map[string]*TaskQueue{}}
	for i, q := range cfg.Queues {
		p.queues[q.Name] = &TaskQueue{p: p, q: p.p.Queue(i)}
	}
	p.def = p.queues[DefaultQueue]
	return p, nil
}

var defaultPool struct {
	atomic.Pointer[Pool]
	mu sync.Mutex
}

// Default returns the pool that package-level calls use outside of a task. It is made by
// the first call, with no options, unless [SetDefault] came before.
//
// In a task under package steptest it is a stepped pool.
func Default() *Pool {
	if d := pool.CurrentStepper(); d != nil {
		return steppedDefault(d)
	}
	if p := defaultPool.Load(); p != nil {
		return p
	}
	defaultPool.mu.Lock()
	defer defaultPool.mu.Unlock()
	if p := defaultPool.Load(); p != nil {
		return p
	}
	p, err := New()
	if err != nil {
		panic("lockstep: the default pool cannot be made: " + err.Error())
	}
	defaultPool.Store(p)
	return p
}

// steppedDefault returns what stands in for the default pool where tasks are stepped.
func steppedDefault(d *pool.Stepper) *Pool {
	at, host := d.Front()
	if p, ok := (*at).(*Pool); ok {
		return p
	}
	p := &Pool{p: host}
	p.def = &TaskQueue{p: p, q: host.Queue(0)}
	p.queues = map[string]*TaskQueue{DefaultQueue: p.def}
	*at = p
	return p
}

// SetDefault makes p the default pool and returns the one before, nil if there was none.
// It closes neither. It panics if p is nil.
func SetDefault(p *Pool) (before *Pool) {
	if p == nil {
		panic("lockstep: SetDefault of a nil pool")
	}
	if d := pool.CurrentStepper(); d != nil { // for this schedule alone
		before = steppedDefault(d)
		at, _ := d.Front()
		*at = p
		return before
	}
	defaultPool.mu.Lock()
	defer defaultPool.mu.Unlock()
	before = defaultPool.Load()
	defaultPool.Store(p)
	return before
}

// TaskQueue returns the task queue of that name. It panics if the pool has none: look
// queues up once, where the pool is made.
func (p *Pool) TaskQueue(name string) *TaskQueue {
	q := p.queues[name]
	if q == nil {
		panic("lockstep: the pool has no task queue named " + strconv.Quote(name) + "; declare it with WithTaskQueue")
	}
	return q
}

// Go runs f as a task of the default queue. It is what `go f()` was; see the package
// comment. A bounded pool that is full makes it wait. It panics if f is nil
// or the pool is closed.
//
//go:noinline
func (p *Pool) Go(f func()) { p.def.spawn(f, gid.CallerPC()) }

// TryGo is Go, except that it returns false, and does nothing, if the pool is
// closed, or bounded and full.
//
//go:noinline
func (p *Pool) TryGo(f func()) bool { return p.def.try(f, gid.CallerPC()) }

// Submit is Go, except that it returns ErrClosed if the pool is closed, and the
// cause of ctx if that ends while it waits for room. A nil error means that f will
// be called. ctx is not f's.
//
//go:noinline
func (p *Pool) Submit(ctx context.Context, f func()) error {
	return p.def.submit(ctx, f, gid.CallerPC())
}

// Run calls f as a task of the default queue and returns what it returns. See
// [TaskQueue.Run].
//
//go:noinline
func (p *Pool) Run(ctx context.Context, f func(context.Context) error) error {
	return p.def.run(ctx, f, gid.CallerPC())
}

// Context returns a context below which [Spawn] and [NewGroup] use the pool's
// default queue.
func (p *Pool) Context(ctx context.Context) context.Context { return p.def.Context(ctx) }

// Close closes the pool and waits until every accepted task, and every task that
// those still spawn, has finished. It is Shutdown without an end, and always returns nil.
func (p *Pool) Close() error { return p.Shutdown(context.Background()) }

// Shutdown closes the pool: it takes no new tasks from outside any more, and every
// accepted task, with the tasks that those spawn, finishes. It returns nil when no
// task, thread, goroutine or timer of the pool is left.
//
// If ctx ends first the tasks are cancelled. Their contexts end, and every wait
// that returns an error returns [ErrShutdown]. A task that goes on to wait or yield is ended inside
// that call, or inside the one after it if its context ended before its worker took note, as by runtime.Goexit, so that its deferred calls run; those may wait normally for
// a second, after which each such wait ends them again. Tasks that have not begun are
// not begun. What blocks natively, or loops without yielding, cannot be
// ended: Shutdown gives up after 10 ms, or after a second while tasks are on
// their way out, with an error that names the tasks left. Their threads then stay, and
// Shutdown may be called again later.
//
// Shutdown may be called any number of times, also at the same time. It must not be
// called from a task of the pool or from one's moved section, which would wait for itself: it panics.
func (p *Pool) Shutdown(ctx context.Context) error {
	if ctx == nil {
		panic("lockstep: Shutdown with a nil context; use context.Background")
	}
	if p.p.Inside() {
		panic("lockstep: Close or Shutdown from a task of the pool, which would wait for itself; call it from a goroutine")
	}
	return p.p.Shutdown(ctx)
}

// Name returns the queue's name.
func (q *TaskQueue) Name() string { return q.q.Name() }

// Pool returns the queue's pool.
func (q *TaskQueue) Pool() *Pool { return q.p }

// Go is [Pool.Go] for this queue.
//
//go:noinline
func (q *TaskQueue) Go(f func()) { q.spawn(f, gid.CallerPC()) }

// TryGo is [Pool.TryGo] for this queue.
//
//go:noinline
func (q *TaskQueue) TryGo(f func()) bool { return q.try(f, gid.CallerPC()) }

// Submit is [Pool.Submit] for this queue.
//
//go:noinline
func (q *TaskQueue) Submit(ctx context.Context, f func()) error {
	return q.submit(ctx, f, gid.CallerPC())
}

// Run calls f as a task of this queue and returns what it returns. It is a call: if f
// panics, Run panics with the same value, and if f calls runtime.Goexit, so does Run.
// f receives a context derived from ctx. Run returns when f has returned, or, without
// having called f, ErrClosed or the cause of ctx, if that ends first. Called
// from a task of this queue, it calls f directly.
//
//go:noinline
func (q *TaskQueue) Run(ctx context.Context, f func(context.Context) error) error {
	return q.run(ctx, f, gid.CallerPC())
}

// Context returns a context below which [Spawn] and [NewGroup] use this queue.
func (q *TaskQueue) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, pool.QueueKey{}, q.q)
}

// SetShares changes the queue's weight while it runs. It returns an error, and changes
// nothing, if n is not between [MinShares] and [MaxShares].
func (q *TaskQueue) SetShares(n int) error {
	if n < MinShares || n > MaxShares {
		return fmt.Errorf("lockstep: SetShares(%d) of queue %q is not between %d and %d", n, q.Name(), MinShares, MaxShares)
	}
	q.q.SetShares(n)
	return nil
}
