package pool

import (
	"math"
	"time"
)

// timer makes a parked task ready, or calls a function on the worker, at a time on
// the pool's clock.
type timer struct {
	at    uint64 // number of the arming, 0 when not armed
	fire  func()
	alarm *Alarm // of which it is the timer, nil for a wait of a task of the worker
}

// in returns the time when d has passed, for a timer of the running task; a sum that overflows is due at once.
func (w *worker) in(d time.Duration) int64 {
	w.readClock()
	if w.sched.Over(w.now) {
		w.credit = 0 // a queue whose tasks start one another and sleep would never end its visit
	} else {
		w.grant()
	}
	return w.now + min(int64(max(d, 0)), math.MaxInt64-w.now)
}

func (w *worker) arm(x *timer, when int64) {
	w.mu.Enter()
	w.timers.add(x, when)
	w.noteTimers()
	w.mu.Exit()
}

// disarm removes a timer of w, if it has not fired, and reports whether it did. It is called on the
// thread of on, which is another one if the task has moved meanwhile, and nil on a goroutine that is no task.
func (w *worker) disarm(x *timer, on *worker) bool {
	if w != on {
		w.mu.Lock()
		defer w.mu.Unlock()
	} else {
		w.mu.Enter()
		defer w.mu.Exit()
	}
	removed := w.timers.remove(x)
	w.noteTimers()
	return removed
}

// noteTimers publishes when the next timer is due. w.mu is held, by whomever.
func (w *worker) noteTimers() {
	due := uint64(0)
	if h := w.timers.heap; len(h) > 0 {
		due = uint64(h[0].when)
	}
	if w.timersDue.Load() != due { // most armings and removals change nothing
		w.timersDue.Store(due)
		if w.stepper != nil {
			w.stepper.timed = true
		}
	}
}

// fireTimers fires what is due by the clock as last read.
func (w *worker) fireTimers() {
	if (w.exit || w.leaving.Load()) && !w.timers.gone {
		w.handOver() // also with nothing there: a helper may be about to set again what it has taken out
	}
	if at := w.timersDue.Load(); at == 0 || int64(at) > w.now {
		return
	}
	w.outside = true
	defer func() { w.outside = false }()
	for {
		w.mu.Enter()
		due := w.timers.due(w.now)
		w.noteTimers()
		w.mu.Exit()
		if due == nil {
			return
		}
		due.fire()
		w.checkPreempt()
	}
}

// mayResume returns how long the worker may sleep, -1 for ever.
func (w *worker) mayResume() int64 {
	d := w.nextLook()
	if at := w.timersDue.Load(); at != 0 {
		until := max(int64(at)-w.p.now(), 0)
		if d < 0 || until < d {
			d = until
		}
	}
	return d
}
