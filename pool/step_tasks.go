package pool

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/queue"
)

// add makes a stepped task of f, a child of the running one, to be queued by its name.
func (d *Stepper) add(q *Queue, f func(), site uint32) *Step {
	t := d.record(q, f, site)
	if by := d.running; by != nil {
		by.children++
		t.Parent, t.Path = by.ID, (by.Path*pathPrime+by.children)*pathMix
	}
	return t
}

// record is add without a parent.
func (d *Stepper) record(q *Queue, f func(), site uint32) *Step {
	id := len(d.tasks)
	var t *Step
	if id < len(d.spare) {
		t = d.spare[id] // its name, a closure, is used again
		*t = Step{name: t.name, Held: t.Held[:0], Where: t.Where[:0], knows: t.knows[:0]}
	} else {
		t = &Step{}
		t.name = func() { d.named = t }
		d.spare = append(d.spare, t)
	}
	t.ID, t.Parent, t.Path = id, -1, uint64(id)+1
	t.Site, t.Queue, t.Op = site&queue.SiteMask, q.name, OpStart
	t.f, t.pool, t.q, t.pinned, t.handled = f, q.p, q.id, site&queue.Pinned != 0, site&queue.Handled != 0
	if d.Order {
		by := d.running
		if d.engine {
			by = nil // a timer does it
		}
		d.orderSpawn(by, t)
	}
	d.tasks = append(d.tasks, t)
	d.live = append(d.live, t)
	q.p.live++
	return t
}

// spawn is Spawn, or SpawnAt if at is not nil, in a stepped pool.
func (d *Stepper) spawn(q *Queue, at *worker, f func(), site uint32, kept bool) bool {
	if d.trespassed(site & queue.SiteMask) {
		return true // and never runs
	}
	d.mustHave(q.p)
	if raceEnabled && d.outside() {
		r := d.Enter()
		ok := d.spawn(q, at, f, site, kept)
		r.Leave()
		return ok
	}
	if at == nil && site&queue.Handled == 0 { // others hold locks, and have had their point before these
		Point(OpSpawn, nil)
	}
	if d.ending {
		return true // and never runs
	}
	if d.manual != nil && Current() == nil {
		leave := d.takeTurn()
		defer leave()
	}
	t := d.add(q, f, site)
	if raceEnabled {
		d.raceSpawns(t)
	}
	if at == nil && q.spawn(t.name, site) || at != nil && q.spawnAt(at, t.name, site, kept) {
		return true
	}
	d.over(t)
	return false
}

// trespassed reports whether the caller has no business with the stepper's pools, and keeps that for [Stepper.Foreign]: a goroutine
// that the body has started. A task of another stepper panics.
func (d *Stepper) trespassed(at uint32) bool {
	by := CurrentStepper()
	switch {
	case by == d || by == nil && d.manual != nil:
		return false
	case by != nil:
		panic("lockstep: a stepped task uses a pool of another test; make the pool in the body, by T.Pool or lockstep.New")
	}
	text := "a goroutine that is no task uses a stepped pool"
	if at != 0 {
		text = "a goroutine that is no task spawns a task at " + site(at)
	}
	d.foreign.Store(text + ". Start it by lockstep.Go")
	d.signalled.Store(true)
	return true
}

// woken is called by who wakes a stepped task that is not of the same worker. A goroutine that the body has started is told of, as in trespassed:
// when it comes is in no schedule.
func (d *Stepper) woken() {
	if g := gid.Get(); d.base == 0 || d.manual != nil || g == d.base || g == d.leaving.Load() || CurrentStepper() == d {
		return
	}
	d.foreign.Store("a goroutine that is no task wakes one at " + outsidePlace() + ". Start it by lockstep.Go")
	d.signalled.Store(true)
}

// outsidePlace is file:line of the innermost caller that is not the library's.
func outsidePlace() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "github.com/lockstep-go/lockstep") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// mustHave panics if p is a pool of an earlier run.
func (d *Stepper) mustHave(p *Pool) {
	if d.manual == nil && !slices.Contains(d.pools, p) {
		panic("lockstep: a stepped task uses a pool that was made in an earlier schedule; each schedule needs its own, by T.Pool or lockstep.New in the body")
	}
}

// Foreign says which goroutine has used a pool of the stepper without being a task; empty if none has.
func (d *Stepper) Foreign() string { return d.foreign.Load() }

// late is SpawnLate in a stepped pool.
func (d *Stepper) late(q *Queue, f func(), site uint32, b *Birth) bool {
	p := q.p
	if p.closing.Load() && p.live == 0 {
		return false
	}
	t, w := d.record(q, f, site), (*p.active.Load())[0] // it gets its worker when it begins
	if raceEnabled {
		d.raceSpawns(t)
	}
	b.born(t)
	w.mu.Enter()
	w.sched.Push(w.queues[q.id].q, queue.Task{Fn: t.name, Site: site})
	w.mu.Exit()
	return true
}

// Birth is what is known of a task that a timer will start: who has set the timer.
type Birth struct {
	parent int
	path   uint64
	times  uint64
}

// NewBirth returns the birth of a task that the calling task has started by a timer, nil if it is not stepped.
func NewBirth() *Birth {
	d := CurrentStepper()
	if d == nil {
		return nil
	}
	r := d.Enter()
	b := d.newBirth()
	r.Leave()
	return b
}

func (d *Stepper) newBirth() *Birth {
	by := d.running
	if by == nil {
		return nil
	}
	by.children++
	return &Birth{parent: by.ID, path: (by.Path*pathPrime + by.children) * pathMix}
}

// born gives the task that was added last its place among the tasks.
func (b *Birth) born(t *Step) {
	b.times++
	t.Parent, t.Path = b.parent, (b.path*pathPrime+b.times)*pathMix
}

const (
	pathPrime = 0x100000001b3
	pathMix   = 0x9E3779B97F4A7C15
)

// over notes that t is over.
func (d *Stepper) over(t *Step) {
	t.state = stepOver
	if i, ok := slices.BinarySearchFunc(d.live, t.ID, func(t *Step, id int) int { return t.ID - id }); ok {
		d.live = slices.Delete(d.live, i, i+1)
	}
	t.f, t.co, t.ctx, t.ended = nil, nil, nil, nil
	p := t.pool
	p.live--
	if p.live == 0 {
		for i := range d.closers {
			if c := &d.closers[i]; c.p == p && c.x != nil {
				c.wakes()
			}
		}
	}
}

// endTask ends the calling task, which the end of the run has found unfinished.
func (d *Stepper) endTask(t *Step) {
	if raceEnabled && t.co != nil {
		d.raceEnding(t.co)
		t.co.raceExit()
	}
	runtime.Goexit()
}

// stepLoop is loop of a stepped coroutine.
func (co *Coroutine) stepLoop() (again bool) {
	again = true
	defer co.caught()
	d := co.w.stepper
	if t := co.step; t != nil && t.f == nil { // it has panicked
		d.finished(co)
	}
	for {
		if co.retiring {
			return false
		}
		t := co.step
		qs := co.w.queues[t.q]
		co.w.visited = qs
		if co.w.killing && !t.handled {
			qs.cancelled.Add(1)
			d.finished(co)
			continue
		}
		qs.started.Add(1)
		co.qs, co.wait, co.ran = qs, running, co.w.sched.Tick()
		co.labelled(labelOf(t.Site, t.q))
		f := t.f
		t.f = nil
		if raceEnabled {
			co.raceRun(t, f)
		} else {
			f()
		}
		co.finish()
		d.finished(co)
	}
}

// finished is called when co's task is over, and returns with another one, or to retire.
func (d *Stepper) finished(co *Coroutine) {
	d.over(co.step)
	co.step = nil
	var next *Step
	if !d.ending {
		next = d.pick()
	}
	if next != nil && next.co == nil && next.w == co.w && (!raceEnabled || co.race == 0) { // it begins here, without a switch
		co.step, next.co, d.running = next, co, next
		return
	}
	to := d.turn(next)
	if raceEnabled && co.race != 0 {
		d.race.used = append(d.race.used, co)
	} else {
		co.w.free = append(co.w.free, co)
	}
	d.transfer(co, to)
}

// exited is called when co ends, because its task has called Goexit. Base has the next one go on.
func (d *Stepper) exited(co *Coroutine) {
	d.leaving.Store(gid.Get()) // it is not known as a task's any more
	defer d.leaving.Store(0)
	d.over(co.step)
	co.step = nil
	d.next = nil
	if !d.ending {
		d.next = d.pick()
	}
}

// need is YieldIfNeeded and NeedYield: whether it is needed is chosen.
func (d *Stepper) need(t *Step, yield bool) bool {
	d.point(t, OpNeed, nil)
	if d.Policy && t.w != d.host {
		if !t.w.sched.Over(d.now) || t.w.sched.Idle() && t.w.offers == nil {
			return false
		}
		if yield {
			d.yieldByPolicy(t, true)
		}
		return true
	}
	needed := d.decide(ChoiceNeed, 2) == 1
	if yield && needed {
		d.yield(t, OpYield)
		t.co.qs.forced.Add(1)
	}
	if yield {
		t.co.endIfKilled()
	}
	return needed
}

// panicked is the panic of a task of a pool without a handler, which would crash the process.
func (d *Stepper) panicked(e *PanicError) {
	if raceEnabled && d.outside() {
		r := d.Enter()
		d.panicked(e)
		r.Leave()
		return
	}
	if d.ending {
		return // a deferred call that unlocks what is not locked any more
	}
	if d.manual != nil {
		crash(e)
	}
	d.panic, d.panicOf = e, d.running
	d.stopFor(StopPanic)
}

// note keeps what the tasks hold, and what a select has met.
func (d *Stepper) note(t *Step, op Op, obj any) {
	switch op {
	case OpReceive:
		if d.Order && t == d.running {
			d.order.meet(t, obj)
		}
	case OpLock, OpRLock:
		t.Held = append(t.Held, obj)
	case OpUnlock, OpRUnlock: // perhaps by another task
		if t.lets(obj) {
			return
		}
		for _, by := range d.live {
			if by.lets(obj) {
				return
			}
		}
	}
}

// Woken reports whether the task waited, has been woken, and has not gone on.
func (t *Step) Woken() bool { return t.state == stepWaiting && t.co.wait != parked }

// Deadline returns when the context ends that the task waits with.
func (t *Step) Deadline() (at time.Time, ok bool) {
	if t.ctx == nil {
		return at, false
	}
	return t.ctx.Deadline()
}

// About says what the next wait of the calling task is about, where its last point was about something else.
func About(op Op, obj any) {
	if co := Current(); co != nil && co.w.stepper != nil {
		by := co.w.stepper.Enter()
		co.step.Op, co.step.Obj = op, obj
		by.Leave()
	}
}

// lets takes obj off what the task holds, if it is there.
func (t *Step) lets(obj any) bool {
	for i := len(t.Held) - 1; i >= 0; i-- { // most often the last one
		if t.Held[i] == obj {
			t.Held = slices.Delete(t.Held, i, i+1)
			return true
		}
	}
	return false
}

// Stepped reports whether the task is stepped.
func (co *Coroutine) Stepped() bool { return co.w.stepper != nil }

// Poll makes a stepped task, which is the caller, wait until done, which the stepper calls at each step, reports true. It returns the
// cause of ctx if that ends first.
func (co *Coroutine) Poll(ctx context.Context, done func() bool, why Why) error {
	x := NewWaiter()
	co.polls(func() bool {
		if !done() || !x.Wake() {
			return false
		}
		co.w.stepper.admitNow() // if it was woken as by another worker
		return true
	})
	err := x.Park(ctx, why)
	co.polls(nil)
	x.ExitIfDue()
	return err
}

// stepInline is Inline of a stepped task. The ends of the section are points: it blocks for as long as the others go on meanwhile.
func (co *Coroutine) stepInline(f func()) {
	d := co.w.stepper
	by := d.Enter()
	co.qs.inline.Add(1)
	l := label(co.label.Own())
	co.labelled(l.with(WhyInline))
	by.Leave()
	Point(OpBlock, nil)
	f()
	Point(OpUnblock, nil)
	by = d.Enter()
	co.labelled(l)
	by.Leave()
}
