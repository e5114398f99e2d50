package pool

import "github.com/lockstep-go/lockstep/queue"

// # Protocol: moving a started task
//
// Only between floating workers, whose coroutines were made on unlocked goroutines and may be
// resumed anywhere. A started task is ready, in a run queue, or it waits. A ready one is
// taken like one that has not started, by a thief that holds the victim's mu. One that
// waits belongs to its worker until it is woken; if that worker is held, a helper takes
// the wakes out of its inbox and the tasks with them.
//
// A task is in the run queue a moment before its goroutine has parked: the coroutine that
// yields goes on as the scheduler until it has found the next one to run. off says that it
// has parked. The worker's base goroutine, through which every switch of a floating worker goes,
// stores it when it finds itself resumed by that coroutine, and clears it before it resumes
// one. A thief that reads off may resume it; one that does not leaves it where it is.
//
//	field            written by                          under
//	co.off           base of the worker it is on         -, before others can see it ready or after
//	co.w, co.qs      whoever moves it                    mu of the worker it leaves, off being set
//	co.wait          its worker, or a helper             mu of its worker

// caller returns the worker whose thread this is: that of the running coroutine, or own, for base.
func caller(own *worker) *worker {
	if co := Current(); co != nil {
		return co.w
	}
	return own
}

// resume resumes a coroutine from the base of a floating worker, and returns when that has
// parked again.
func (w *worker) resume(co *Coroutine) {
	co.off.Store(false)
	co.own.swap()
	co.off.Store(true)
}

// movable returns the function that decides on started tasks of v and moves them to w, nil if no
// started task may move. v.mu must be held when it is called.
func (w *worker) movable(v *worker) func(queue.Task) bool {
	if !w.floating || w.stepper != nil { // a stepped task stays where it has begun
		return nil
	}
	return func(t queue.Task) bool {
		t.Fn() // names its coroutine as this worker's target
		co := w.target
		if !co.off.Load() {
			return false
		}
		w.takeOver(co, v)
		return true
	}
}

// takeOver moves a coroutine with its task from v, whose mu is held.
func (w *worker) takeOver(co *Coroutine, v *worker) {
	v.forget(co)
	v.started.Dec()
	co.w, co.qs, co.ran = w, w.queues[co.qs.id], 0
	w.remember(co)
	w.started.Inc()
}

// takeWakes takes the tasks that were woken while their worker is held. It reports whether there
// were any.
func (w *worker) takeWakes(v *worker) bool {
	if !w.floating || v.inbox.woken.Load() == 0 {
		return false
	}
	in := &v.inbox
	in.mu.Lock()
	defer in.mu.Unlock()
	v.mu.Lock()
	var mine, rest *Coroutine
	left := uint64(0)
	for co := in.wakes; co != nil; {
		next := co.next
		if co.wait == parked && co.off.Load() {
			co.wait = running
			w.takeOver(co, v)
			co.next, mine = mine, co
		} else {
			co.next, rest = rest, co
			left++
		}
		co = next
	}
	in.wakes = reversed(rest) // the newest first, as it was
	in.woken.Store(left)
	v.mu.Unlock()
	found := mine != nil
	w.mu.Enter()
	for co := mine; co != nil; {
		next := co.next
		co.next = nil
		w.sched.Push(co.qs.q, co.entry())
		co = next
	}
	w.mu.Exit()
	return found
}
