package pool

import "github.com/lockstep-go/lockstep/queue"

// # Protocol: steal
//
// Only an idle worker steals, only tasks that have not started and are not pinned, and it
// runs them in the queue they came from. It looks first into the inboxes of the
// others, whose lock is an ordinary one, then at their run queues, for
// which it takes the biased lock of the victim: 1-6 µs, which a worker with something
// to do never pays.
//
// The thief holds tasks that are in no list only while its own state is
// running, so a shutdown that counts (see shutdown.go) cannot miss them.
//
// A single ready task is left to its worker, which is most often about to run it; moving it
// would cost more than the task. If the worker does not get to it, because it is
// in a long task, the monitor marks it as slow, and a worker is woken to fetch even that. From a held worker a thief takes it at once: it may have
// been in a helper's way.
//
// A worker with surplus wakes a sleeping one only as often as the pool has wake tokens.
// Waking a thread costs several microseconds, as much as a hundred small tasks, and whether
// it pays shows only afterwards. The monitor refills the tokens every
// millisecond: fully when the last wakes led to stolen work, barely when not.

// stealMost bounds how many tasks of a queue one steal takes.
const stealMost = 256

// idle is called when nothing is ready: it gets work from others or sleeps.
func (w *worker) idle() {
	if w.leaves() {
		return
	}
	if w.isHelper {
		if w.relieve() {
			return
		}
	} else if w.steal() {
		return
	}
	if !w.lingers() {
		w.park()
		w.lendAt = 0 // it has been without its P
	}
	// The time spent here says nothing about the pace of tasks.
	w.given, w.credit = 0, 0
}

// steal takes tasks from the other workers; it reports whether it got any.
func (w *worker) steal() bool {
	all := *w.p.everyone.Load()
	if len(all) < 2 {
		return false
	}
	w.random = w.random*6364136223846793005 + 1442695040888963407
	at := int(w.random >> 33 % uint64(len(all)))
	for i := range all {
		v := all[(at+i)%len(all)]
		if v == w {
			continue
		}
		if n := w.stealFrom(v); n > 0 {
			w.stats.steals.Add(1)
			w.stats.stolen.Add(uint64(n))
			w.p.wakesPaid.Store(true)
			if v.surplus() {
				w.p.wakeOne()
			}
			return true
		}
	}
	return false
}

func (w *worker) stealFrom(v *worker) int {
	spare := uint64(1) // what is left to the victim
	if v.slow.Load() || v.held.Load() {
		spare = 0
	}
	inbox, ready := v.inbox.n.Load() > spare, v.backlog.Load() > spare
	if !inbox && !ready {
		return 0
	}
	return w.plunder(v, w.limits(stealMost), inbox, ready)
}

// limits returns how many tasks may be taken, n of each queue, by queue number.
func (w *worker) limits(n int) []int {
	limits := make([]int, len(w.queues))
	for id := range limits {
		limits[id] = n
	}
	return limits
}

// plunder makes tasks of v the worker's own, up to the limits: out of v's inbox, or else, of those
// that are ready. It returns how many.
func (w *worker) plunder(v *worker, limits []int, inbox, ready bool) int {
	loot := make([]queue.FIFO, len(w.queues))
	n := 0
	if inbox {
		n = v.inbox.takeStealable(loot, limits)
	}
	if n == 0 && ready && w.lockOf(v) {
		n = v.sched.TakeMovable(&queue.Cache{}, loot, limits, w.movable(v))
		v.backlog.Store(uint64(v.sched.Len()))
		v.mu.Unlock()
	}
	if n == 0 {
		return 0
	}
	w.inner()
	w.mu.Enter()
	for id := range loot {
		w.sched.PushAll(w.queues[id].q, &loot[id])
	}
	w.backlog.Store(uint64(w.sched.Len()))
	w.mu.Exit()
	return n
}

// lockOf takes v's lock to take something from it. A helper waits for the lock: the signal that has called it does not come again, while a
// thief that finds it taken may leave what there is to the other one.
func (w *worker) lockOf(v *worker) bool {
	if w.isHelper {
		v.mu.Lock()
		return true
	}
	return v.mu.TryLock()
}

// takeStealable moves up to half of each lane, at most its limit, to dst.
func (in *inbox) takeStealable(dst []queue.FIFO, limits []int) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := 0
	for id := range in.lanes {
		if l := in.lanes[id].Len(); l > 0 {
			n += in.lanes[id].TakeStealable(&in.cache, &dst[id], min((l+1)/2, limits[id]), 4*stealMost)
		}
	}
	in.n.Store(in.n.Own() - uint64(n))
	return n
}

// surplus reports whether the worker has more ready than it can start at once. It is
// a hint, and may be called from anywhere.
func (w *worker) surplus() bool { return w.backlog.Load()+w.inbox.n.Load() > 1 }

// wakeOne wakes one sleeping worker so that it steals, if there is a token.
func (p *Pool) wakeOne() {
	if p.tokens.Load() <= 0 || p.tokens.Dec() < 0 {
		return
	}
	for _, w := range *p.active.Load() {
		w.inner()
		if w.state.Load() == stateParked && w.unpark() {
			return
		}
	}
}
