package pool

import (
	"runtime"
	"time"
)

// # Protocol: rescue
//
// A task that blocks its thread, or computes without yielding, holds up what is behind it on
// that worker: tasks that have not started, due timers, and what is injected. The monitor finds it
// (stall.go), marks the worker as held, puts it on the pool's list of held workers, and puts one more
// helper on duty. A helper is a worker like the others, with a thread, queues and coroutines of
// its own, that gets no tasks from outside and takes its work from held workers.
//
// Nothing changes owners except tasks that have not started, and those by the locks that
// every thief uses: the inbox's, and the biased lock of the held worker. What has started there stays
// there (its coroutines cannot be resumed elsewhere), so a late action of the stalled task meets
// only its own thread's state.
//
//	who      writes                                       then
//	monitor  list of held, worker.held, helper.onDuty     signals the helpers on duty
//	sender   inbox or run queue of a worker               loads worker.held; if set, signals them
//	helper   parked                                       loads attention
//
// No wake-up is lost. If the sender sees held, it signals every helper on duty, and the attention word of
// the park protocol covers the rest. If it does not see it, its append came
// before the monitor's store, and the signal that the monitor sends after that makes a helper look.
// A helper that is signalled while it is held itself does not look; but when the monitor finds it held, it
// puts another one on duty, and that one looks at all held workers first of all. A helper that is signalled and then
// taken off duty may not look either; but taking one off duty is followed by a signal to those that stay.
//
// There are as many helpers on duty as held workers, held helpers included: N tasks that
// block need N threads, as they would in system calls of goroutines. A worker that comes back goes on as if
// nothing had been; the monitor sees it move, and takes a helper off duty, which finishes what it has
// started and sleeps until it is needed again or has been unused for long enough to end.
//
// What helpers leave alone because the worker computes, they come back for by an alarm (nextLook). The monitor signals
// them when it finds that the worker does not compute any more, since they may have looked before that and set
// the alarm after it.
//
// A task that blocks is found within milliseconds if something waits behind it, one that computes after the stall threshold.
// The monitor's rounds are 1 ms apart while a pool has just begun to work or a worker looks held, and up to 10 ms
// otherwise.
//
// A helper takes few tasks at a time, since each may block too. From a worker that
// computes, helpers take at most one task of the computing task's own queue per threshold,
// so that a queue of endless loops does not get a thread for each at once.

// helperTakes bounds how many tasks of a queue a helper takes at a time.
const helperTakes = 8

// helperNap is the least time between two looks that nobody asked for. A locked thread that sleeps for less, again and again, keeps
// goroutines of its P from running: it comes back by the slot that Go's scheduler serves first, with a new time slice.
const helperNap = 50 * time.Microsecond

// helperLinger is for how many of the monitor's rounds a helper is kept without use.
const helperLinger = 100

// What became of the wish for a helper.
type help uint8

const (
	helpGiven   help = iota
	helpDenied       // the pool has as many helpers as it may have
	helpBounded      // every P is taken, and one helper waits for one already
)

// hold marks w as held by its task, and puts one more helper on duty for it.
//
// If the task computes, and no P is spare, one helper that is not held itself is enough for all such workers: a second one
// would only share the same slices of Go's scheduler. When that one is held too, the next comes.
func (p *Pool) hold(w *worker, busy bool) help {
	if !w.held.Load() {
		list := append([]*worker{w}, *p.heldWorkers.Load()...)
		p.heldWorkers.Store(&list)
		w.inner()
		w.held.Store(true)
		w.inner()
	}
	defer p.callHelpers()
	if busy && p.freeHelpers() >= p.spareRescues() {
		return helpBounded
	}
	h := p.spareHelper()
	if h == nil {
		return helpDenied
	}
	h.unused = 0
	h.onDuty.Store(true)
	h.inner()
	p.rescues.Inc()
	return helpGiven
}

// freeHelpers counts the helpers on duty that are not held themselves.
func (p *Pool) freeHelpers() int {
	n := 0
	for _, h := range *p.everyone.Load() {
		if h.isHelper && h.onDuty.Load() && !h.held.Load() {
			n++
		}
	}
	return n
}

// spareRescues is how many helpers may look after computing workers at once: as many as there are Ps beside those
// workers, and one in any case, which Go's scheduler gives its slices like any goroutine.
func (p *Pool) spareRescues() int {
	return max(1, runtime.GOMAXPROCS(0)-len(*p.active.Load()))
}

// letGo takes a worker off the list that has come back, and a helper off duty.
func (p *Pool) letGo(w *worker) {
	w.held.Store(false)
	w.inner()
	list := without(*p.heldWorkers.Load(), w)
	p.heldWorkers.Store(&list)
	onDuty := 0
	for _, h := range *p.everyone.Load() {
		if h.isHelper && h.onDuty.Load() {
			if onDuty++; onDuty > len(list) && !h.held.Load() {
				h.onDuty.Store(false)
				h.inner()
			}
		}
	}
	p.callHelpers() // one that went off duty may have been signalled and not have looked
}

// callHelpers makes the helpers on duty look at the held workers.
func (p *Pool) callHelpers() {
	for _, h := range *p.everyone.Load() {
		if h.isHelper && h.onDuty.Load() { // also if it is marked as held: it may have come back
			h.signal(attentionHeld)
		}
	}
}

// spareHelper returns a helper that is not on duty, made now if need be.
func (p *Pool) spareHelper() *worker {
	helpers := 0
	for _, w := range *p.everyone.Load() {
		if !w.isHelper {
			continue
		}
		helpers++
		if !w.onDuty.Load() && !w.leaving.Load() && w.state.Load() == stateParked { // not one that is held itself
			return w
		}
	}
	if helpers >= p.cfg.Helpers {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended.Load() {
		return nil
	}
	w := p.newWorker()
	w.isHelper = true
	w.inbox.closed = true // nothing is injected into a helper
	p.start(w)
	return w
}

// retireHelpers ends helpers that have not been used for a while, or all unused ones.
func (p *Pool) retireHelpers(all bool) {
	for _, w := range *p.everyone.Load() {
		if !w.isHelper || w.onDuty.Load() || w.state.Load() != stateParked || w.started.Load() > 0 || w.leaving.Load() {
			continue
		}
		if w.unused++; all || w.unused > helperLinger {
			w.leaving.Store(true)
			w.signal(attentionShutdown)
		}
	}
}

// relieve takes work from the held workers; it reports whether there was any.
func (w *worker) relieve() bool {
	if !w.onDuty.Load() {
		return false
	}
	for _, v := range *w.p.heldWorkers.Load() {
		if v == w {
			continue
		}
		if n := w.relieveFrom(v); n > 0 {
			w.p.rescued.Add(uint64(n))
			return true
		}
		if w.fireTimersOf(v) || w.takeWakes(v) {
			return true
		}
	}
	return false
}

// relieveFrom takes tasks from v.
func (w *worker) relieveFrom(v *worker) int {
	// Only a floating worker's started tasks may move, and those that are set aside count as no backlog.
	inbox, ready := v.inbox.n.Load() > 0, v.backlog.Load() > 0 || v.floating && v.started.Load() > 0
	if !inbox && !ready {
		return 0
	}
	limits := w.limits(helperTakes)
	if v.computes.Load() {
		own := label(v.running.Load()).queue()
		limits[own] = 0
		if last := v.lastOwn.Load(); w.p.now()-last >= int64(w.p.cfg.StallThreshold) && v.lastOwn.CompareAndSwap(last, w.p.now()) {
			limits[own] = 1
		}
	}
	return w.plunder(v, limits, inbox, ready)
}

// fireTimersOf fires the due timers of a held worker, on the thread of the helper w. It
// reports whether there were any.
func (w *worker) fireTimersOf(v *worker) bool {
	at := v.timersDue.Load()
	if at == 0 || int64(at) > w.p.now() {
		return false
	}
	v.mu.Lock()
	var due []*timer
	for x := v.timers.due(w.p.now()); x != nil; x = v.timers.due(w.p.now()) {
		due = append(due, x)
	}
	v.noteTimers()
	v.mu.Unlock()
	for _, x := range due {
		x.fire()
	}
	return len(due) > 0
}

// nextLook returns when a helper on duty has to look again although nobody signals: when the next
// task of a computing task's queue may be taken, or a held worker's timer is due. It is a time from
// now, -1 for never.
func (w *worker) nextLook() int64 {
	if !w.onDuty.Load() {
		return -1
	}
	next := int64(-1)
	for _, v := range *w.p.heldWorkers.Load() {
		var at int64
		switch {
		case v.computes.Load() && v.backlog.Load()+v.inbox.n.Load() > 0:
			at = v.lastOwn.Load() + int64(w.p.cfg.StallThreshold)
		case v.timersDue.Load() != 0:
			at = int64(v.timersDue.Load())
		default:
			continue
		}
		if d := max(at-w.p.now(), int64(helperNap)); next < 0 || d < next {
			next = d
		}
	}
	return next
}
