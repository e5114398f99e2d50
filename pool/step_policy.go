package pool

import (
	"slices"

	"github.com/lockstep-go/lockstep/queue"
)

// Stepping by policy: which task of a worker comes next is decided by its queues, as in production, and the chooser decides only which worker goes on. It
// is for tests of shares, latencies and fairness, in which time passes by Spent alone.

// enablePolicy is enableAny where Policy is set. Only the host's tasks yield as there.
func (d *Stepper) enablePolicy() (yielded int) {
	for _, t := range d.live {
		switch {
		case t.state == stepPaused && t.yielded:
			yielded++
		case t.state == stepNew && t.w == d.host, t.state == stepPaused && !t.offered && !t.waitsInside():
			d.enabled = append(d.enabled, t)
		case t.state == stepWaiting && t.co.wait == parked:
			if t.poll != nil && t.co.runs(t.poll) {
				d.admit()
			} else if t.ctx != nil && t.co.hasEnded(t.ctx) {
				t.Op = OpCancel
				d.enabled = append(d.enabled, t)
			}
		}
	}
	for _, p := range d.pools {
		for _, w := range *p.everyone.Load() {
			if t := d.offer(w); t != nil {
				d.enabled = append(d.enabled, t)
			}
		}
	}
	slices.SortFunc(d.enabled, func(a, b *Step) int { return a.ID - b.ID })
	return yielded
}

// offer returns the task that w would run next, if it is between two tasks. It is taken out of its run queue, and stays on offer until it is chosen.
func (d *Stepper) offer(w *worker) *Step {
	if w.offers != nil || d.busy(w) {
		return w.offers
	}
	t, ok := w.nextByPolicy(d.now)
	if !ok && w != d.host && w.steal() {
		t, ok = w.nextByPolicy(d.now)
	}
	if ok {
		t.Fn()
		w.offers = d.named
		w.offers.offered = true
	}
	return w.offers
}

// nextByPolicy is what take and turn do.
func (w *worker) nextByPolicy(now int64) (t queue.Task, ok bool) {
	w.now = now
	if w.sched.Continues(now) {
		if t, ok = w.sched.Next(); ok {
			return t, true
		}
	}
	w.sched.EndVisit(now)
	w.publish()
	if !w.sched.Pick(now) {
		return queue.Task{}, false
	}
	w.visited = w.queues[w.sched.Current().ID()]
	return w.sched.Next()
}

// takeOffered makes t, which has been chosen, the task of the worker that has offered it.
func (d *Stepper) takeOffered(t *Step) {
	for _, p := range d.pools {
		for _, w := range *p.everyone.Load() {
			if w.offers == t {
				w.offers, t.offered, t.w = nil, false, w
			}
		}
	}
}

// yieldByPolicy is Yield, and, if forced, what YieldIfNeeded does when the quantum is over.
func (d *Stepper) yieldByPolicy(t *Step, forced bool) {
	co, w := t.co, t.w
	if w.sched.Idle() && w.offers == nil {
		w.sched.Renew(d.now)
		d.point(t, OpYield, nil)
		return
	}
	w.age = age(d.now)
	if !forced {
		w.sched.Yielded()
	}
	w.sched.Ready(co.qs.q, co.entry(), co.ran, forced)
	t.Op = OpYield
	co.giveWay(WhyYield, queue.Task{})
}
