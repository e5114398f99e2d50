package pool

import (
	"iter"
	"runtime/debug"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/invariants"
	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/queue"
)

// Coroutine is a stack that tasks run on, one after the other, and the state of
// the task that is on it now. While a task runs, waits or yields it keeps its
// coroutine; a task that does neither needs no switch at all, because the
// scheduler loop runs on the coroutine and simply calls it.
//
// Except where noted, fields belong to the worker's thread.
type Coroutine struct {
	// What every switch touches comes first, so that it is in few cache lines.
	w      *worker
	slot   *slot  // where this coroutine is parked
	own    slot   // the slot whose goroutine is this coroutine's
	resume func() // what a run queue holds for a started task: makes it the target

	qs    *queueState    // the task's queue; nil when there is no task
	ran   uint64         // the tick in which the task last ran
	label relaxed.Uint64 // what reports say of the task, see label.go
	left  bool           // it has yielded or waited, and counts as started
	off   atomic.Bool    // on a floating worker: parked in its slot, so that it may be moved
	wait  waitState

	killed   bool // Goexit was raised in it by a forced shutdown
	retiring bool // the loop must end

	killedAt int64
	from     relaxed.Uint64 // when it first yielded or waited, on the worker's cached clock
	waiter   *Waiter        // how a forced shutdown may end the wait
	ctx      atomic.Pointer[TaskContext]
	section  PanicError // the last panic that a moved section brought to the task
	g        uintptr
	index    int        // place in worker.all
	next     *Coroutine // in an inbox's list of wakes, under its lock
	step     *Step      // in a stepped pool
	race     Racer      // then, under the race detector: the coroutine's own goroutine; see step_race.go
}

type waitState uint8

const (
	idle     waitState = iota // no task
	running                   // or ready to run
	notified                  // unparked before it parked
	parked
)

// A slot is one iter.Pull: a place where exactly one goroutine is parked.
//
// # Switching
//
// next and yield of an iter.Pull both swap the running goroutine with the one
// parked in it, whoever calls them, as long as the two are called in turn. So
// to go from one coroutine to another takes one switch: the running one
// parks itself in the slot where the other is parked. N coroutines and the worker's
// base goroutine are N+1 goroutines for N slots, and one of them runs.
//
// All of it happens on one thread. It is why a coroutine can be in any slot of
// its worker, and why ending one needs care: the goroutine of a
// coroutine ends in its own slot and thereby resumes whoever is parked
// there. See retire.
//
// A worker without a thread of its own (floating) switches through its base,
// each coroutine in its own slot, so that slots could move between workers.
type slot struct {
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	inner bool // the next swap is a call of yield
}

// swap is also written out in giveWay, because what returns after a switch returns to a
// place that the processor has not foreseen: each frame between a task and the switch costs
// it about 8 ns.
func (s *slot) swap() {
	if s.inner {
		s.inner = false
		s.yield(struct{}{})
	} else {
		s.inner = true
		s.next()
	}
}

// newCoroutine makes a coroutine without a task. It costs about half a
// microsecond, so they are kept and used again.
func (w *worker) newCoroutine() *Coroutine {
	co := &Coroutine{w: w}
	co.slot = &co.own
	co.resume = func() { co.w.target = co }
	switch {
	case w.stepper != nil:
		co.resume = func() { w.stepper.named = co.step }
	case w.floating:
		co.resume = func() { caller(co.w).target = co } // the caller may be a thief
	}
	co.own.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		if raceEnabled && w.stepper != nil {
			co.raceMain(yield)
			return
		}
		co.own.yield = yield
		co.main()
	})
	w.remember(co)
	return co
}

// transfer parks the coroutine from, which is running, and resumes to. It
// returns when somebody transfers to from.
//
// The loop serves retire: base may have to pass through a slot in which some third
// coroutine is parked. That one wakes up here, sees that it was not meant, and
// goes on to the one who was.
func (w *worker) transfer(from, to *Coroutine) {
	if from == to {
		return
	}
	w.cur = to
	for ; w.cur != from; w = from.w {
		if s := w.way(from); w.floating && from == w.base {
			w.resume(w.cur)
		} else {
			s.swap()
		}
	}
}

// way returns the slot through which from, which is running, gets to w.cur, and notes that
// from is parked there.
func (w *worker) way(from *Coroutine) *slot {
	s := w.cur.slot
	if w.floating {
		s = viaBase(from, w.cur, w.base)
	}
	from.slot = s
	return s
}

// viaBase picks the slot for a switch from from to to of those that switch through base: coroutines go to
// base, and base goes on to the one who was meant.
func viaBase(from, to, base *Coroutine) *slot {
	if from == base {
		return &to.own
	}
	return &from.own
}

// main is the body of a coroutine.
func (co *Coroutine) main() {
	co.enter()
	defer co.end()
	loop := co.loop
	if co.w.stepper != nil {
		loop = co.stepLoop
	}
	for loop() {
	}
}

// loop takes tasks and runs them. It returns true when a task panicked and
// the coroutine goes on, false when the coroutine should end.
func (co *Coroutine) loop() (again bool) {
	again = true
	defer co.caught()
	for {
		w := co.w
		t := w.handoff
		if t.Fn != nil {
			w.handoff.Fn = nil
		} else {
			t = w.take()
			if t.Fn == nil {
				co.retiring = true
				return false
			}
		}
		if w.killing && t.Site != queue.Started && t.Site&queue.Handled == 0 {
			w.visited.cancelled.Add(1)
			continue
		}
		if t.Site == queue.Started {
			if len(w.free) >= maxFree {
				w.pending = t
				co.retiring = true
			} else {
				w.free = append(w.free, co)
				t.Fn()
				w.transfer(co, w.target)
			}
			if co.retiring {
				return false
			}
			continue
		}
		qs := w.visited
		qs.started.Add(1)
		co.qs, co.ran, co.wait = qs, w.sched.Tick(), running
		co.labelled(labelOf(t.Site, qs.id))
		t.Fn()
		co.finish()
	}
}

// maxFree bounds the coroutines kept without a task: enough for what a burst of
// waiting tasks uses again at once, and no more than 256 small stacks a worker.
const maxFree = 256

// finish ends the task.
func (co *Coroutine) finish() {
	co.qs.finished.Add(1)
	if co.left {
		co.left = false
		co.w.started.Dec()
	}
	co.qs, co.wait, co.killed = nil, idle, false
	if co.section.Stack != nil {
		co.section = PanicError{}
	}
	co.label.Store(0)
	co.w.running.Store(0)
}

// caught is the inner of the two frames that contain a task. It is deferred
// by loop, and so runs when a task panicked or called Goexit.
func (co *Coroutine) caught() {
	if co.retiring {
		return // the loop returned by itself
	}
	v := recover()
	if v != nil && co.qs == nil {
		crash(&PanicError{Value: v, Stack: debug.Stack()}) // in the scheduler itself: a bug of lockstep
	}
	if v == nil {
		return // Goexit; end does the rest
	}
	if raceEnabled && co.w.stepper != nil {
		by := co.acts()
		co.w.p.Panicked(v)
		by.back()
		co.raceTell(co.step.pool) // base reads of it
	} else {
		co.w.p.Panicked(v)
	}
	co.finish()
}

// goexit is what end panics with. iter.Pull then hands a panic to whoever calls
// next, where it would otherwise call Goexit there and end the worker.
type goexit struct{}

// end is the outer frame. A panic raised by a deferred call of a task that is
// ending by Goexit is recovered by caught, and the runtime then goes on with the
// Goexit: one frame would let it through.
func (co *Coroutine) end() {
	abnormal := !co.retiring
	if co.qs != nil {
		co.qs.exited.Add(1)
		co.finish()
	}
	co.leave()
	if d := co.w.stepper; d != nil {
		co.w.forget(co)
		if abnormal {
			d.exited(co)
		}
		d.retire(co)
	} else {
		co.w.retire(co)
	}
	if abnormal {
		if raceEnabled && co.w.stepper != nil {
			co.raceLeaves()
		}
		panic(goexit{})
	}
}

// retire prepares the end of co, which is running: when it returns, the worker's base
// goroutine is parked in co's own slot, inside reap, and is resumed when co's
// goroutine ends.
//
// co first changes places with base, wherever that is parked. base then swaps itself
// into co's own slot. If some third coroutine was parked there it wakes up in
// transfer, sees that co was meant, and parks where co is now.
func (w *worker) retire(co *Coroutine) {
	w.forget(co)
	w.reaping = co
	w.transfer(co, w.base)
	if invariants.Enabled {
		invariants.Check(w.base.slot == &co.own, "I4: base is not parked in the ending coroutine's slot")
	}
}

// reap runs on base. It resumes the coroutine that is ending with base
// parked in its slot, and returns when that has ended.
func (w *worker) reap() {
	co := w.reaping
	w.reaping = nil
	w.cur = co
	w.base.slot = &co.own
	co.swapEnding()
	w.cur = w.base
}

// swapEnding swaps base into the slot of co, and returns when co has ended.
func (co *Coroutine) swapEnding() {
	defer func() {
		switch v := recover().(type) {
		case nil, goexit:
		default:
			panic(v)
		}
	}()
	co.own.swap()
}

// remember and forget keep w.all, the coroutines of the worker.
func (w *worker) remember(co *Coroutine) {
	w.allMu.Lock()
	defer w.allMu.Unlock()
	co.index = len(w.all)
	w.all = append(w.all, co)
}

func (w *worker) forget(co *Coroutine) {
	w.allMu.Lock()
	defer w.allMu.Unlock()
	last := len(w.all) - 1
	w.all[co.index] = w.all[last]
	w.all[co.index].index = co.index
	w.all[last] = nil
	w.all = w.all[:last]
}
