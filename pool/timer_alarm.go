package pool

import (
	"math"
	"time"

	"go.uber.org/atomic"
)

// Alarm calls a function at a time. Set by a task, it is a timer of the task's worker; set by an ordinary
// goroutine, it is one of the runtime. Unlike the timer of a wait it has a life of its own: the task
// may end before it is due, and any goroutine may stop it.
//
// # Protocol
//
// home says whose timer it is: a worker's, or, if nil, the runtime's. Set, SetAgain and Stop are called by
// one at a time (the owner's lock). Against them, a worker that ends changes home from itself to nil, and the
// firing takes the alarm out. Both hold the worker's mu, under which Stop compares home again.
//
//	home    pending if            taken out by
//	worker  timer is in its heap  Stop, due (worker or helper), handOver; all under the worker's mu
//	nil     turn is not 0         whoever changes turn to 0: Stop, or the runtime timer of that turn
//
// So an alarm that Stop has taken out does not fire. One that it has not may be
// between its being taken out and the call of the function, which then sees in Pending, under the owner's
// lock, whether it has been set anew.
//
// No alarm is lost when a worker ends: handOver closes its timers to alarms under mu, for SetAgain, which
// helpers call for it. A task that sets one is on the worker's own thread, which has not ended.
//
// A worker's heap may hold dead entries of a timer, told by what is written under that worker's mu. So a timer
// belongs to one worker for good, and an alarm that is set on another one gets another timer.
type Alarm struct {
	timer *timer  // &first, or another one
	of    *worker // whose timer is
	first timer
	turn  atomic.Uint32
	turns uint32
	home  atomic.Pointer[worker]
	kept  *time.Timer // the runtime's
	drops bool
}

// Init sets what is called when the alarm is due: on a worker's or a helper's thread between two tasks' steps, or on a goroutine
// of the runtime. It must be short and must not wait. drops says that it is not worth calling after
// the end of the pool.
func (a *Alarm) Init(f func(), drops bool) {
	a.first.fire, a.first.alarm, a.drops = f, a, drops
	a.timer = &a.first
}

// Set arms an alarm that is not pending, for the time when d has passed.
func (a *Alarm) Set(d time.Duration) {
	co := Current()
	if co == nil {
		a.setRuntime(d)
		return
	}
	w := co.w
	if raceEnabled && w.stepper.outside() {
		by := w.stepper.EnterTold()
		a.Set(d)
		by.Leave()
		return
	}
	if !w.setAlarm(a, w.in(d), w) {
		a.setRuntime(d)
	}
}

// SetAgain arms an alarm that has fired for the time t, where it was. It is called by the
// alarm's function.
func (a *Alarm) SetAgain(t time.Time) {
	if w := a.home.Load(); w != nil {
		when := min(t.Sub(w.p.birth), math.MaxInt64-1) + 1 // as Pool.now counts
		if w.setAlarm(a, int64(when), runningOn()) {
			return
		}
	}
	a.setRuntime(time.Until(t))
}

// setAlarm is false if the worker takes no alarms any more. It is called on the thread of on. If that is another one's, w is
// told, because it may sleep already, until a later time or for ever.
func (w *worker) setAlarm(a *Alarm, when int64, on *worker) bool {
	if w == on {
		w.mu.Enter()
		defer w.mu.Exit()
		return w.addAlarm(a, when)
	}
	w.mu.Lock()
	taken := w.addAlarm(a, when)
	w.mu.Unlock()
	if taken {
		w.signal(attentionInbox)
	}
	return taken
}

// addAlarm is setAlarm with mu held.
func (w *worker) addAlarm(a *Alarm, when int64) bool {
	if w.timers.gone {
		return false
	}
	if a.of != w {
		if a.of != nil {
			a.timer = &timer{fire: a.first.fire, alarm: a}
		}
		a.of = w
	}
	a.home.Store(w)
	w.timers.add(a.timer, when)
	w.noteTimers()
	return true
}

func (a *Alarm) setRuntime(d time.Duration) {
	a.turns = max(a.turns+1, 1) // it may go round
	turn := a.turns
	a.turn.Store(turn)
	a.kept = time.AfterFunc(d, func() {
		if a.turn.CompareAndSwap(turn, 0) {
			a.first.fire()
		}
	})
	a.home.Store(nil) // now others may look at turn and kept
}

// Stop takes the alarm out and reports whether it was pending. After that it does not fire.
func (a *Alarm) Stop() bool {
	if raceEnabled {
		if d := CurrentStepper(); d.outside() {
			by := d.Enter()
			was := a.Stop()
			by.Leave()
			return was
		}
	}
	for w := a.home.Load(); w != nil; w = a.home.Load() {
		w.inner()
		if stopped := w.disarm(a.timer, runningOn()); stopped || a.home.Load() == w {
			return stopped
		}
	}
	if a.turn.Swap(0) == 0 {
		return false
	}
	a.kept.Stop()
	return true
}

// Pending reports whether the alarm is set and not due yet.
func (a *Alarm) Pending() bool {
	if raceEnabled {
		if d := CurrentStepper(); d.outside() {
			by := d.Enter()
			is := a.Pending()
			by.Leave()
			return is
		}
	}
	for w := a.home.Load(); w != nil; w = a.home.Load() {
		w.inner()
		if pending := w.holdsTimer(a.timer, runningOn()); pending || a.home.Load() == w {
			return pending
		}
	}
	return a.turn.Load() != 0
}

func (w *worker) holdsTimer(x *timer, on *worker) bool {
	if w != on {
		w.mu.Lock()
		defer w.mu.Unlock()
	} else {
		w.mu.Enter()
		defer w.mu.Exit()
	}
	return x.at != 0
}

// runningOn returns the worker whose task calls, nil outside.
func runningOn() *worker {
	if co := Current(); co != nil {
		return co.w
	}
	return nil
}

// handOver gives the alarms of a worker that ends to the runtime's timers, except those that are of no
// use after the pool. It is called at the look with which the worker takes note of its end: after that, it
// runs on only for started tasks, whose own waits stay.
func (w *worker) handOver() {
	w.mu.Enter()
	defer w.mu.Exit()
	w.timers.gone = true
	stay := w.timers.heap[:0]
	var leave []timerEntry
	for _, e := range w.timers.heap {
		switch {
		case !e.live():
		case e.t.alarm == nil:
			stay = append(stay, e)
		default:
			leave = append(leave, e)
		}
	}
	clear(w.timers.heap[len(stay):])
	w.timers.heap = stay
	w.timers.order()
	w.noteTimers()
	now := w.p.now()
	for _, e := range leave {
		a := e.t.alarm
		e.t.at = 0
		if a.drops && w.exit && w.p.ended.Load() {
			continue
		}
		a.setRuntime(time.Duration(e.when - now))
	}
}
