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
	defer func() { d.engine = false }()
	for d.stop == StopDone {
		if d.MaxSteps > 0 && d.steps >= d.MaxSteps {
			d.stopFor(StopSteps)
			break
		}
		d.admit()
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
		if d.Watch != nil {
			d.Watch(t)
		}
		switch {
		case t == &d.clock:
			d.pass()
		case t.state == stepWaiting && t.co.wait == parked:
			t.ctx = nil
			t.ended()
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
	at = -1
	yielded := (*Step)(nil)
	for _, t := range d.live {
		switch t.state {
		case stepNew:
			if d.Strict && !d.mayBegin(t) {
				continue
			}
		case stepPaused:
			if t.yielded {
				yielded = t
				continue
			}
			if t == d.running {
				at = len(d.enabled)
			}
		case stepWaiting:
			if t.co.wait == parked && (t.poll == nil || !t.poll()) {
				if t.ctx == nil || t.ctx.Err() == nil {
					continue
				}
				t.Op = OpCancel
			} else if d.Strict && d.busy(t.w) {
				continue
			}
		}
		d.enabled = append(d.enabled, t)
	}
	if yielded != nil && len(d.enabled) == 0 {
		if yielded == d.running {
			at = 0
		}
		d.enabled = append(d.enabled, yielded)
	}
	if at := d.nextTimer(); at != 0 && (len(d.enabled) == 0 || d.Early || at <= d.now) {
		d.enabled = append(d.enabled, &d.clock)
	}
	return at
}

// take takes t out of its run queue, if it is in one. A new task gets its worker.
func (d *Stepper) take(t *Step) {
	switch t.state {
	case stepNew:
		if t.w == d.host {
			break
		}
		t.w = d.unqueue(t, *t.pool.everyone.Load())
		if all := *t.pool.active.Load(); !t.pinned && len(all) > 1 {
			t.w = d.workerFor(all)
		}
	case stepWaiting:
		d.unqueue(t, []*worker{t.w})
	case stepPaused:
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
	if !d.Strict {
		return all[d.chooser.Decide(ChoiceWorker, len(all))]
	}
	free := slices.DeleteFunc(slices.Clone(all), d.busy)
	if len(free) == 1 {
		return free[0]
	}
	return free[d.chooser.Decide(ChoiceWorker, len(free))]
}

// busy reports whether a task of w has stopped in its middle.
func (d *Stepper) busy(w *worker) bool {
	return w != d.host && slices.ContainsFunc(d.live, func(t *Step) bool { return t.w == w && t.state == stepPaused })
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
