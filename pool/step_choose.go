package pool

import "slices"

// decide is Decide of a stepped task.
func (d *Stepper) decide(what Choice, n int) int {
	if n <= 1 || d.ending {
		return 0
	}
	return d.chooser.Decide(what, n)
}

// pick decides who goes on, and takes it out of its run queue. nil says that nobody can, or that the run is to stop.
func (d *Stepper) pick() *Step {
	d.engine = true
	t := d.choose()
	d.engine = false
	return t
}

func (d *Stepper) choose() *Step {
	for d.stop == StopDone {
		if d.MaxSteps > 0 && d.steps >= d.MaxSteps {
			d.stopFor(StopSteps)
			break
		}
		if d.signalled.Load() {
			d.admit()
		}
		if len(d.follows) > 0 {
			d.follow()
		}
		at := d.enable()
		if len(d.enabled) == 0 {
			break
		}
		t := d.enabled[0]
		if len(d.enabled) > 1 {
			t = d.enabled[d.chooser.Next(d.enabled, at)]
		} else {
			d.chooser.Next(d.enabled, at)
		}
		d.steps++
		t.Steps++
		t.last = d.steps
		if d.Watch != nil {
			d.Watch(t)
		}
		switch {
		case t == &d.clock:
			d.pass()
		case t.state == stepWaiting && t.co.wait == parked:
			t.ctx = nil
			t.co.ends(t.ended)
		default:
			d.take(t)
			return t
		}
	}
	return nil
}

// enable lists the tasks that can go on, and returns where the running one is among them.
func (d *Stepper) enable() (at int) {
	d.enabled = d.enabled[:0]
	yielded := 0
	if d.Policy {
		yielded = d.enablePolicy()
		at = slices.Index(d.enabled, d.running)
	} else {
		at, yielded = d.enableAny()
	}
	idle := len(d.enabled) == 0
	switch {
	case yielded == 0:
	case idle: // all of them, and the clock: what one of them spins for may be up to another, or to time
		at = d.enableYielded(d.steps)
	default: // those that have yielded before each of the others made a step
		least := d.steps
		for _, t := range d.enabled {
			least = min(least, t.last)
		}
		at = d.enableYielded(least)
	}
	d.enableClock(idle)
	return at
}

// enableAny lists the tasks that can go on, except those that have yielded, which it counts.
func (d *Stepper) enableAny() (at, yielded int) {
	at = -1
	for _, t := range d.live {
		switch t.state {
		case stepNew:
			if (d.Strict || t.pinned) && !d.mayBegin(t) {
				continue
			}
		case stepPaused:
			if t.yielded {
				yielded++
				continue
			}
			if t.waitsInside() {
				continue
			}
			if t == d.running {
				at = len(d.enabled)
			}
		case stepWaiting:
			if t.co.wait == parked && (t.poll == nil || !t.co.runs(t.poll)) {
				if t.ctx == nil || !t.co.hasEnded(t.ctx) {
					continue
				}
				t.Op = OpCancel
			} else if (d.Strict || t.pinned) && d.busy(t.w) {
				continue
			}
		}
		d.enabled = append(d.enabled, t)
	}
	return at, yielded
}

// enableClock adds the passing of time, if a timer is due, or nothing else can go on, or time may pass early.
func (d *Stepper) enableClock(idle bool) {
	if !d.timed {
		return
	}
	if at := d.nextTimer(); at != 0 && (idle || d.Early || at <= d.now) {
		d.enabled = append(d.enabled, &d.clock)
	}
}

// enableYielded adds the tasks that have yielded by the given step, and returns where the running task is.
func (d *Stepper) enableYielded(by int) (at int) {
	others := len(d.enabled)
	for _, t := range d.live {
		if t.state == stepPaused && t.yielded && t.last <= by && !((d.Strict || t.pinned) && d.busy(t.w)) {
			d.enabled = append(d.enabled, t)
		}
	}
	if others > 0 {
		slices.SortFunc(d.enabled, func(a, b *Step) int { return a.ID - b.ID })
	}
	return slices.Index(d.enabled, d.running)
}

// take takes t out of its run queue, if it is in one. A new task gets its worker.
func (d *Stepper) take(t *Step) {
	switch {
	case t.offered:
		d.takeOffered(t)
	case t.state == stepNew:
		if t.w == d.host {
			break
		}
		t.w = d.unqueue(t, *t.pool.everyone.Load())
		if !t.pinned { // perhaps it is in the host's, where the first task has spawned it
			t.w = d.workerFor(*t.pool.active.Load())
		}
	case t.state == stepWaiting:
		d.unqueue(t, []*worker{t.w})
	}
	t.state = stepPaused // should it be asked for while it runs
}

// unqueue removes t's entry from the run queue of one of the workers, and returns that.
func (d *Stepper) unqueue(t *Step, of []*worker) *worker {
	d.want = t
	for _, w := range of {
		if w.sched.Remove(w.queues[t.q].q, d.isWanted) {
			return w
		}
	}
	panic("lockstep: a stepped task that can run is in no run queue")
}

// workerFor chooses the worker of a new task.
func (d *Stepper) workerFor(all []*worker) *worker {
	free := all
	if d.Strict {
		free = slices.DeleteFunc(slices.Clone(all), d.busy)
	}
	if len(free) == 1 {
		return free[0]
	}
	return free[d.chooser.Decide(ChoiceWorker, len(free))]
}

// busy reports whether a task of w has stopped in its middle, other than for a yield. Without Strict only pinned ones count: they
// are promised that others of the worker go on only when they give way, so that what is the worker's needs no lock.
func (d *Stepper) busy(w *worker) bool {
	return w != d.host && slices.ContainsFunc(d.live, func(t *Step) bool {
		return t.w == w && t.state == stepPaused && !t.yielded && (d.Strict || t.pinned)
	})
}

// mayBegin reports whether a worker is free for a new task.
func (d *Stepper) mayBegin(t *Step) bool {
	if t.w == d.host {
		return true
	}
	all := *t.pool.active.Load()
	if !t.pinned {
		return slices.ContainsFunc(all, func(w *worker) bool { return !d.busy(w) })
	}
	d.want = t
	for _, w := range all {
		if w.sched.Holds(w.queues[t.q].q, d.isWanted) {
			return !d.busy(w)
		}
	}
	return false
}

// admit brings in what has been signalled to workers.
func (d *Stepper) admit() {
	d.signalled.Store(false)
	if d.Foreign() != "" {
		d.Stop()
	}
	for _, p := range d.pools {
		for _, w := range *p.everyone.Load() {
			if w.attention.Load() != attentionStepped {
				w.now = d.now
				w.attend()
				w.signal(attentionStepped)
			}
		}
	}
}
