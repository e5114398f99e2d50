package pool

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/internal/invariants"
	"github.com/lockstep-go/lockstep/queue"
)

// Pool returns the pool that runs the task.
func (co *Coroutine) Pool() *Pool { return co.w.p }

// Queue returns the number of the task's queue.
func (co *Coroutine) Queue() int {
	if raceEnabled && co.w.stepper.outside() {
		r := co.w.stepper.Enter()
		id := co.Queue()
		r.Leave()
		return id
	}
	return co.qs.id
}

// entry is the task as a run queue holds it.
func (co *Coroutine) entry() queue.Task {
	return queue.Task{Fn: co.resume, Site: queue.Started, Age: co.w.age}
}

// Yield gives way to every task that is ready. If there is none it returns at
// once, having looked at timers and injected work. It reports whether there is a
// task to yield: outside one it does nothing.
func Yield() bool {
	co := Current()
	if co == nil {
		return false
	}
	w := co.w
	if raceEnabled && w.stepper.outside() {
		r := w.stepper.Enter()
		Yield()
		r.Leave()
		return true
	}
	w.credit--
	if w.credit <= 0 || w.attention.Load() != 0 {
		if w.stepper != nil {
			w.stepper.yield(co.step, OpYield)
			co.qs.yields.Add(1)
			co.endIfKilled()
			return true
		}
		w.fresh = false
		w.look()
		w.grant()
	}
	if w.killing {
		co.endIfKilled()
	}
	w.mu.Enter()
	over := w.sched.Over(w.now)
	if w.sched.Idle() {
		if over {
			w.sched.Renew(w.now)
		}
		w.mu.Exit()
		co.qs.alone.Add(1)
		return true
	}
	w.sched.Yielded()
	w.sched.Ready(co.qs.q, queue.Task{Fn: co.resume, Site: queue.Started, Age: w.age}, co.ran, over)
	var t queue.Task
	if over {
		w.credit = 0 // so that take ends the visit: the queue, with this task again among its ready ones, would never be empty
	} else if w.credit > 0 { // as take would do, without leaving the lock in between
		w.credit--
		t, _ = w.sched.Next()
	}
	w.mu.Exit()
	co.qs.yields.Add(1)
	if t.Fn != nil {
		w.visited.popped(w, t)
	}
	co.giveWay(WhyYield, t)
	return true
}

// OthersReady reports whether a Yield of the calling task would give way: its worker has something else to run. What has just come from another thread may not
// count yet.
func OthersReady() bool {
	co := Current()
	if co == nil {
		return false
	}
	w := co.w
	w.mu.Enter()
	ready := !w.sched.Idle()
	w.mu.Exit()
	return ready
}

// YieldIfNeeded gives way if the queue's quantum is over or a queue with a
// latency goal waits, and something else is ready. Outside a task it does nothing. It is
// a function, and not a method like the others, to save a call.
func YieldIfNeeded() {
	g := gid.Get()
	t := currents.table.Load()
	co := (*Coroutine)(nil)
	if e := t.at(hash(g, t.shift)); e.g.Load() == g { // Current, written out
		co = e.co
	} else if co = t.find(g, hash(g, t.shift)+1); co == nil {
		return
	}
	w := co.w
	if raceEnabled && w.stepper.outside() {
		r := w.stepper.Enter()
		YieldIfNeeded()
		r.Leave()
		return
	}
	w.credit--
	if w.credit > 0 && w.attention.Load() == 0 {
		return
	}
	co.checkpoint(true)
}

// NeedYield reports whether YieldIfNeeded would give way.
func (co *Coroutine) NeedYield() bool {
	w := co.w
	if raceEnabled && w.stepper.outside() {
		r := w.stepper.Enter()
		due := co.NeedYield()
		r.Leave()
		return due
	}
	w.credit--
	if w.credit > 0 && w.attention.Load() == 0 {
		return false
	}
	return co.checkpoint(false)
}

// checkpoint is the slow path of YieldIfNeeded and NeedYield. It reports whether
// giving way is due, and does so if yield is set.
//
//go:noinline
func (co *Coroutine) checkpoint(yield bool) bool {
	w := co.w
	if w.stepper != nil {
		return w.stepper.need(co.step, yield)
	}
	w.fresh = false
	if w.attention.Load() == 0 && !w.killing && !w.sched.Preempt() {
		// The usual case, in which nobody wants anything: only the clock is looked at.
		if w.readClock(); w.now >= w.lendAt {
			w.lend()
		}
		if w.now < w.sched.VisitEnd() {
			if at := w.timersDue.Own(); at == 0 || int64(at) > w.now {
				w.grant()
				return false
			}
		}
		w.fireTimers()
	} else {
		w.look()
	}
	if yield {
		co.endIfKilled()
	}
	w.mu.Enter()
	switch {
	case !w.sched.Over(w.now):
		w.mu.Exit()
		w.grant()
		return false
	case w.sched.Idle():
		w.sched.Renew(w.now)
		w.publish()
		w.mu.Exit()
		w.grant()
		return false
	case !yield:
		w.mu.Exit()
		w.credit = 0 // so that the next call sees it too
		return true
	}
	w.sched.Ready(co.qs.q, co.entry(), co.ran, true)
	w.mu.Exit()
	co.qs.forced.Add(1)
	w.credit, w.fresh = 0, true
	co.giveWay(WhyYield, queue.Task{})
	return true
}

// giveWay lets the thread go on with other tasks and returns when this one has
// been made ready and its turn has come. t is what runs next, if that is known.
func (co *Coroutine) giveWay(why Why, t queue.Task) {
	w := co.w
	if !co.left {
		co.left = true
		co.from.Store(uint64(w.now))
		w.started.Inc()
	}
	l := label(co.label.Own())
	co.label.Store(uint64(l.with(why)))
	w.running.Store(0)
	if t.Fn == nil {
		if w.stepper != nil {
			w.stepper.gaveWay(co, why)
			co.ran = co.w.sched.Tick()
			co.labelled(l)
			return
		}
		t = w.take()
		if invariants.Enabled {
			invariants.Check(t.Fn != nil, "I5: a worker ends while a task waits on it")
		}
	}
	to := co
	if t.Site == queue.Started {
		t.Fn()
		to = w.target
	} else {
		w.handoff = t
		to = w.freeCoroutine()
	}
	w.cur = to
	for ; w.cur != co; w = co.w { // transfer and swap, written out
		if s := w.way(co); s.inner {
			s.inner = false
			s.yield(struct{}{})
		} else {
			s.inner = true
			s.next()
		}
	}
	w = co.w
	co.ran = w.sched.Tick()
	co.labelled(l)
	if w.killing && why == WhyYield {
		co.endIfKilled()
	}
}

// Sleep waits for d. It returns the cause of ctx if that ends first.
func (co *Coroutine) Sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if d <= 0 {
		Yield()
		return nil
	}
	x := &Waiter{co: co}
	err := x.ParkFor(ctx, d, WhySleep)
	x.ExitIfDue()
	if err == ErrTimeUp {
		return nil
	}
	return err
}

// endsNow reports whether a forced shutdown ends the task at this call.
func (co *Coroutine) endsNow() bool {
	w := co.w
	if raceEnabled && w.stepper.outside() {
		r := w.stepper.Enter()
		ends := co.endsNow()
		r.Leave()
		return ends
	}
	return w.killing && (!co.killed || w.p.now()-co.killedAt >= int64(Grace))
}

// kill ends the task.
func (co *Coroutine) kill() {
	if raceEnabled && co.w.stepper != nil {
		co.w.stepper.Enter()
		co.killed, co.killedAt = true, co.w.p.now()
		co.raceExit()
	}
	co.killed, co.killedAt = true, co.w.p.now()
	runtime.Goexit()
}

func (co *Coroutine) endIfKilled() {
	if raceEnabled && co.w.stepper.outside() {
		r := co.w.stepper.Enter()
		co.endIfKilled()
		r.Leave()
		return
	}
	if co.w.killing && co.endsNow() {
		co.kill()
	}
}

// Errors of the pool; the root package documents them.
var (
	ErrClosed   = errors.New("lockstep: the pool is closed and takes no new tasks")
	ErrGoexit   = errors.New("lockstep: the task ended by runtime.Goexit (or t.FailNow), without a result")
	ErrShutdown = errors.New("lockstep: the task was cancelled by Shutdown, whose context had ended")
)
