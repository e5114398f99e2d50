package lockstep

import (
	"context"
	"math"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/queue"
)

// fan is one fan-out: items, and the tasks (runners) that call a function for them.
//
// # Protocol
//
// A runner calls the function for one item after the other, on its own task, so items that do not wait
// cost no task each. What makes that mean the same as a task each is the stand-by: while items are unclaimed, and
// the limit allows it, one more runner is spawned and has not started. If the function waits, the worker goes on to the
// stand-by, which begins by providing the next one. If it blocks its thread, the stand-by is stolen or rescued, as any
// unstarted task is.
//
// Items are claimed from spans, one by one, by an atomic step, so whoever comes may help with the rest of a span
// whose runner waits.
//
//	ready    runners spawned and not started    up under mu, with the spawn; down as the first thing a runner does
//	active   runners with a span                under mu
//	live     those and all that were spawned    under mu; what the limit bounds, since a runner is neither ready nor
//	                                            active for a moment
//	pos      of a span, next item               by compare-and-swap, at most end
//	end      of a span, first item not in it    grows while a sequence is read, by the caller
//
// The stand-by is there. Whoever starts, having lowered ready, looks under mu for unclaimed items beyond its own and spawns
// if ready is 0. In a sequence items are added later: the caller stores end and then loads ready; a runner
// lowers ready and then loads end. Atomics are sequentially consistent, so one of them sees the other: an item is seen
// by a runner that starts, or the caller sees that none is ready and spawns one.
//
// Nobody waits for ever. The end is that no item can be claimed any more (or that the fan was stopped) and active is 0. Both
// change under mu at a runner's end, which is when the caller is woken; it looks at them under mu before it waits.
// A stand-by that starts after that finds nothing and touches nothing of the caller's.
//
// At most as many runners live as the limit allows, and each is in one call at a time. One more is there when a runner that
// calls nothing any more has spawned the next in its place.
type fan struct {
	ctx   pool.TaskContext
	q     *pool.Queue
	site  uint32
	limit int
	all   bool
	call  string

	stopped atomic.Bool // no further call is to begin
	ready   atomic.Int32

	mu       sync.Mutex
	active   int
	live     int // spawned and not ended
	next, n  int // items in no span yet
	grain    int // of the spans they go into
	do       func(i int) error
	open     []*span // may have unclaimed items; the oldest first
	growing  *span   // that of the sequence, while it is not full
	reading  bool    // a sequence is being read
	err      error
	errs     []itemError
	panicked any
	exited   bool
	waiter   *pool.Waiter // the caller at the end
	room     *pool.Waiter // the caller in the sequence, too far ahead
	head     *pool.Waiter // the caller, for the result of one item
}

func newFan(ctx context.Context, call string, pc uintptr, opts []FanOption) *fan {
	mustContext(ctx, call)
	var c fanConfig
	for _, o := range opts {
		o(&c)
	}
	if c.limit == 0 {
		c.limit = math.MaxInt
	}
	q := queueFor(ctx)
	f := &fan{q: q, site: gid.Site(pc) | queue.Handled, limit: c.limit, all: c.all, call: call}
	f.ctx.Init(ctx, q)
	return f
}

// each calls do for the items from 0 to n-1.
func (f *fan) each(ctx context.Context, n int, do func(i int) error) error {
	if err := context.Cause(ctx); err != nil || n <= 0 {
		return err
	}
	workers := f.q.Pool().Workers()
	f.n, f.do, f.grain = n, do, min(max(n/(spansAWorker*workers), spanLeast), spanMost)
	x := pool.NewWaiter()
	f.waiter = x
	if err := f.first(ctx, min(n, workers, f.limit)); err != nil {
		return err
	}
	return f.wait(ctx, x)
}

// first spawns the first n runners. Inside a task of the pool they go to its worker, and idle workers are woken for them as for
// any tasks; from outside to one worker each.
func (f *fan) first(ctx context.Context, n int) error {
	if pool.Stepping() {
		pool.Point(pool.OpSpawn, f)
	}
	f.ready.Inc()
	f.live++ // nobody else is there yet
	if err := accept(ctx, f.q, f.run, f.site, f.call); err != nil {
		return err
	}
	if n == 1 {
		return nil
	}
	p := f.q.Pool()
	co := pool.Current()
	inside := co != nil && co.Pool() == p
	places := p.Places()
	f.mu.Lock() // the first one may have begun, and have provided for others
	defer f.mu.Unlock()
	for _, at := range places[:min(n-1, len(places))] {
		if f.stopped.Load() || f.live >= f.limit || !f.unclaimed() {
			break
		}
		f.ready.Inc()
		f.live++
		if !inside && f.q.SpawnAt(at, f.run, f.site, false) || inside && f.q.Spawn(f.run, f.site) {
			continue
		}
		f.ready.Dec()
		f.live-- // the pool closes, or the worker ends: the first one does it all
	}
	return nil
}

// run is the task of a runner.
func (f *fan) run() {
	f.ready.Dec()
	co := pool.Current()
	f.mu.Lock()
	if f.q.Pool().Killed() {
		f.stop(ErrShutdown)
	}
	s := f.take(co.Place())
	if s == nil {
		f.live--
		f.doneLocked()
		f.mu.Unlock()
		return
	}
	f.active++
	f.standBy()
	f.mu.Unlock()
	co.SetContext(&f.ctx)
	r := runner{f: f, co: co, s: s}
	defer r.end()
	r.loop()
	r.returned = true
}

// standBy provides for the next runner. mu is held.
func (f *fan) standBy() {
	if f.ready.Load() > 0 || f.stopped.Load() || f.live >= f.limit || !f.unclaimed() {
		return
	}
	f.spawn()
}

// spawn spawns one more runner, from a task of the pool, where it is always accepted. mu is held.
func (f *fan) spawn() {
	f.ready.Inc()
	f.live++
	f.q.Spawn(f.run, f.site)
}

// runner is a task that has begun.
type runner struct {
	f        *fan
	co       *pool.Coroutine
	s        *span
	returned bool
}

func (r *runner) loop() {
	f := r.f
	for s := r.s; s != nil; s = r.another() {
		for !f.stopped.Load() {
			i, ok := s.claim()
			if !ok {
				break
			}
			if err := s.do(i); err != nil {
				f.failed(i, err)
			}
			if r.co.NeedYield() && f.succeeded() {
				return
			}
		}
	}
}

func (r *runner) another() *span {
	f := r.f
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.take(r.co.Place())
}

// succeeded gives way between two items: the runner ends, and one more is spawned, on the same worker, which costs less than a
// switch. Were it to yield, the stand-by would start beside it, at every quantum one more.
func (f *fan) succeeded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped.Load() || !f.unclaimed() {
		return false
	}
	f.spawn()
	return true
}

// end is deferred around a runner.
func (r *runner) end() {
	f := r.f
	var v any
	if !r.returned {
		v = recover()
	}
	r.co.SetContext(nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active--
	f.live--
	switch {
	case r.returned:
	case v != nil:
		if f.panicked == nil {
			f.panicked = v
		}
		f.stop(context.Canceled)
	case f.q.Pool().Killed():
		f.stop(ErrShutdown)
	default:
		f.exited = true
		f.stop(ErrGoexit)
	}
	f.standBy() // one more is allowed, if the limit kept it away
	f.doneLocked()
}
