package pool

import (
	"context"
	"slices"
	"time"
)

// stepEpoch is when a stepper's clock begins: the midnight with which a bubble of testing/synctest begins.
var stepEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// nextTimer returns when the next timer is due, 0 if there is none.
func (d *Stepper) nextTimer() int64 {
	least := int64(0)
	for _, p := range d.pools {
		for _, w := range *p.everyone.Load() {
			if at := int64(w.timersDue.Load()); at != 0 && (least == 0 || at < least) && (len(d.live) > 0 || w.startsTasks()) {
				least = at
			}
		}
	}
	d.timed = least != 0
	return least
}

// startsTasks reports whether one of the worker's timers will start a task. When no task is left the others do nothing any more, and a
// Ticker that nobody has stopped would do that for ever.
func (w *worker) startsTasks() bool {
	return slices.ContainsFunc(w.timers.heap, func(e timerEntry) bool { return e.live() && e.t.alarm != nil && e.t.alarm.drops })
}

// pass lets time pass until the next timer is due and fires those of one worker that are. If several workers have
// some, it is chosen whose come first.
func (d *Stepper) pass() {
	at := d.nextTimer()
	d.now = max(d.now, at)
	var due []*worker
	for _, p := range d.pools {
		for _, w := range *p.everyone.Load() {
			if x := int64(w.timersDue.Load()); x != 0 && x <= d.now {
				due = append(due, w)
			}
		}
	}
	w := due[0]
	if len(due) > 1 {
		w = due[d.chooser.Decide(ChoiceTimer, len(due))]
	}
	w.readClock()
	w.fireTimers()
}

// followed is a context whose end something has to be told of.
type followed struct {
	ctx context.Context
	f   func()
}

// Follow calls f at the step after the end of ctx: it is a context.AfterFunc that needs no goroutine. stop is to be called when f need not
// be called any more.
func (d *Stepper) Follow(ctx context.Context, f func()) (stop func() bool) {
	x := &followed{ctx, f}
	by := d.EnterTold()
	d.follows = append(d.follows, x)
	by.Leave()
	return func() bool {
		by := d.Enter()
		d.follows = slices.DeleteFunc(d.follows, func(y *followed) bool { return x == y })
		by.Leave()
		return true
	}
}

// follow calls what follows contexts that have ended. The end of one may be that of others.
func (d *Stepper) follow() {
	for i := 0; i < len(d.follows); i++ {
		if x := d.follows[i]; x.ctx.Err() != nil {
			d.follows = slices.Delete(d.follows, i, i+1)
			x.f()
			i = -1
		}
	}
}

// Now returns the time for the calling task: the pool's, if that is stepped, else time.Now.
func Now() time.Time {
	if d := CurrentStepper(); d != nil {
		return d.time()
	}
	return time.Now()
}

func (d *Stepper) time() time.Time { return stepEpoch.Add(d.Now()) }

// Now returns the time by the clock that the alarm was last set by.
func (a *Alarm) Now() time.Time {
	if w := a.home.Load(); w != nil && w.stepper != nil {
		return w.stepper.time()
	}
	return time.Now()
}
