package pool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/internal/racectx"
	"github.com/lockstep-go/lockstep/queue"
)

// NewPool starts a pool whose tasks are stepped. It has no thread and no goroutine, and its workers start nothing by themselves.
func (d *Stepper) NewPool(cfg Config) *Pool {
	by := d.EnterTold()
	n := cfg.Workers
	if n == 0 {
		n = max(d.Workers, 1)
	}
	cfg.Floating = true
	p := newPool(cfg)
	p.stepper = d
	p.birth = stepEpoch
	p.overflow.runner = stepRunner{p}
	all := make([]*worker, 0, n)
	for range n {
		w := p.newWorker()
		w.stepper = d
		w.attention.Store(attentionStepped)
		w.base = &Coroutine{w: w}
		if f := cfg.ThreadInit; f != nil {
			if cleanup := f(w.id); cleanup != nil {
				w.cleanups = append(w.cleanups, cleanup)
			}
		}
		all = append(all, w)
	}
	p.active.Store(&all)
	p.everyone.Store(&all)
	d.pools = append(d.pools, p)
	by.LeaveTold(d)
	return p
}

// Front returns a place for what the root package takes for the default pool, and the pool that stands in for that.
func (d *Stepper) Front() (at *any, host *Pool) {
	by := d.EnterTold()
	host = d.pools[0]
	by.LeaveTold(d)
	return &host.front, host
}

// Renew makes the pools as new, before a run: what is counted, and set, in one run is not to be seen in the next.
func (d *Stepper) Renew() {
	d.follows = nil
	d.foreign.Store("")
	if d.base == 0 { // once: goroutines that should not be there read it
		d.base = gid.Get()
	}
	for _, p := range d.pools {
		p.front = nil
		p.turnOf.Store(0)
		p.overflow.stats, p.overflow.sites = OverflowStats{}, nil
		for i, q := range p.queues {
			q.shares.Store(int64(p.cfg.Queues[i].Shares))
		}
		for _, w := range *p.everyone.Load() {
			w.stats = workerCounts{}
			w.applyShares()
			for _, qs := range w.queues {
				*qs = queueState{id: qs.id, q: qs.q}
			}
		}
	}
}

// Stepped reports whether the pool's tasks are stepped.
func (p *Pool) Stepped() bool { return p.stepper != nil }

// stepRunner runs moved sections as tasks of the stepper's first pool: they are no tasks of their own one.
type stepRunner struct{ p *Pool }

func (r stepRunner) run(f func()) {
	d := r.p.stepper
	by := d.Enter()
	t := d.begin(f)
	t.Op, t.section = OpBlock, r.p
	by.Leave()
}

func (stepRunner) release() {}

// makeHost makes the pool for what is stepped without being a task of a pool that somebody has made. It gives package-level calls, outside of
// other pools' tasks, a pool: that is what the default pool is elsewhere.
func (d *Stepper) makeHost() {
	p := d.NewPool(Config{
		Queues: []QueueConfig{{Name: "default", Shares: queue.DefaultShares}}, Quantum: DefaultQuantum,
		Logger: slog.New(slog.DiscardHandler), Quiet: true, Overflow: 1,
	})
	d.host = p.newWorker()
	d.host.stepper = d
	d.host.attention.Store(attentionStepped)
	d.host.base = &Coroutine{w: d.host}
	every := append(slices.Clone(*p.active.Load()), d.host)
	p.everyone.Store(&every)
}

// begin makes a task of the host.
func (d *Stepper) begin(f func()) *Step {
	t := d.add(d.pools[0].queues[0], f, 0)
	if raceEnabled {
		d.raceSpawns(t)
	}
	t.w = d.host
	return t
}

// closer is somebody who waits for the end of a pool.
type closer struct {
	p  *Pool
	x  *Waiter
	co *Coroutine // nil if it is no task
}

// shutdown is Shutdown of a stepped pool, by a task that is not of it, after close.
func (d *Stepper) shutdown(ctx context.Context, p *Pool) error {
	if d.trespassed(0) {
		return nil
	}
	Point(OpShutdown, nil)
	if err := d.awaitEnd(ctx, p); err != nil && d.lives(p) {
		p.kill()
		if !d.awaitKilled(p) {
			return d.leftOf(ctx, p)
		}
	}
	by := d.EnterTold()
	d.endPool(p)
	by.LeaveTold(d)
	return nil
}

// lives reports whether a task of p is left. If not, the caller is told all that they knew.
func (d *Stepper) lives(p *Pool) bool {
	by := d.Enter()
	live := p.live > 0
	by.Leave()
	if raceEnabled && !live {
		racectx.Acquire(&p.live)
	}
	return live
}

// endPool ends p, whose tasks are all over.
func (d *Stepper) endPool(p *Pool) {
	if p.ended.CompareAndSwap(false, true) {
		for _, w := range *p.everyone.Load() {
			w.disarm(&w.graceTimer, w)
			for _, f := range w.cleanups {
				f()
			}
			w.cleanups = nil
		}
		close(p.done)
		close(p.closed)
		d.ended()
	}
}

// awaitKilled waits for the end of tasks that are being ended, and reports whether it has come. It gives up when none of them can
// go on and time does not help: as long as one can, it is just slow.
func (d *Stepper) awaitKilled(p *Pool) bool {
	for d.lives(p) {
		if co := Current(); co != nil {
			_ = co.Poll(context.Background(), func() bool { return !d.canMove(p) }, WhyShutdown)
		}
		if !d.lives(p) {
			break
		}
		x := d.newCloser(p)
		err := x.ParkFor(context.Background(), 2*Grace, WhyShutdown)
		d.forgetCloser(x)
		if errors.Is(err, ErrTimeUp) && !d.canMove(p) {
			return !d.lives(p)
		}
		x.ExitIfDue()
	}
	return true
}

// canMove reports whether a task of p, or one's moved section, can go on.
func (d *Stepper) canMove(p *Pool) bool {
	by := d.Enter()
	can := slices.ContainsFunc(d.live, func(t *Step) bool {
		return (t.pool == p || t.section == p) && (t.state != stepWaiting || t.co.wait != parked)
	})
	by.Leave()
	return can
}

func (d *Stepper) awaitEnd(ctx context.Context, p *Pool) error {
	for d.lives(p) {
		x := d.newCloser(p)
		if err := x.Park(ctx, WhyShutdown); err != nil {
			d.forgetCloser(x)
			x.ExitIfDue()
			return err
		}
	}
	return nil
}

// newCloser makes the caller one.
func (d *Stepper) newCloser(p *Pool) *Waiter {
	x := NewWaiter()
	by := d.Enter()
	d.closers = append(d.closers, closer{p, x, Current()})
	by.Leave()
	return x
}

func (d *Stepper) forgetCloser(x *Waiter) {
	by := d.Enter()
	d.closers = slices.DeleteFunc(d.closers, func(c closer) bool { return c.x == x })
	by.Leave()
}

// wakes ends the closer's wait.
func (c *closer) wakes() {
	x := c.x
	c.x = nil
	if raceEnabled && c.co != nil {
		by := c.co.acts()
		x.Wake()
		by.back()
	} else {
		x.Wake()
	}
}

// leftOf names the tasks that a forced shutdown could not end.
func (d *Stepper) leftOf(ctx context.Context, p *Pool) error {
	var b strings.Builder
	by := d.EnterTold()
	for _, t := range d.live {
		if t.pool == p {
			fmt.Fprintf(&b, "\n\ttask of queue %q, %s, spawned at %s", t.Queue, t.Why, t.SiteText())
		}
	}
	by.LeaveTold(d)
	return fmt.Errorf("lockstep: Shutdown gave up with %d tasks left (%w):%s", p.live, context.Cause(ctx), b.String())
}
