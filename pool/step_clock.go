package pool

import "time"

// stepEpoch is when a stepper's clock begins: the midnight with which a bubble of testing/synctest begins.
var stepEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// nextTimer returns when the next timer is due, 0 if there is none.
func (d *Stepper) nextTimer() int64 {
	least := int64(0)
	for _, p := range d.pools {
		for _, w := range *p.everyone.Load() {
			if at := int64(w.timersDue.Load()); at != 0 && (least == 0 || at < least) {
				least = at
			}
		}
	}
	d.timed = least != 0
	return least
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
