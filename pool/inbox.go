package pool

import (
	"sync"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/queue"
)

// inbox is where work from other threads reaches a worker: new tasks, a lane for
// each queue, and started tasks that were woken.
//
// # Protocol: inject, park, wake
//
// A worker's state is running or parked.
//
//	who      writes                          then reads
//	sender   inbox (under mu), attention     state
//	worker   state = parked                  attention
//
// Sender: append to the inbox; set the attention bit unless it is set; if state is
// parked, change it to running by compare-and-swap, and whoever succeeds sends the
// parker its one token.
// Worker: store parked; load attention; if it is not 0, change state back by
// compare-and-swap and go on, or, if that fails, a waker has done it
// and the token is on its way: receive it. If attention is 0, wait for the token.
//
// No wake-up is lost. attention and state are sequentially consistent. If the
// worker's load of attention comes before the sender's store, so does its store of
// parked, and the sender, who reads state after that, sees parked and wakes it.
// Otherwise the worker sees the bit and does not wait. A sender that finds the bit already
// set relies on the one who set it, who reads state afterwards.
//
// Nothing is left in the inbox. The worker takes all bits (swap with 0) before it looks
// into the inbox. A sender that finds the bit set has appended before that swap.
//
// Lock order: an inbox's mu before its worker's mu. A thief takes one or the other.
//
// There is at most one token: only the change from parked to running produces
// one, and the worker does not store parked again before it has received it.
//
// A wait with a time-out ends like one with attention: by the compare-and-swap, or
// by receiving the token of the waker who won it.
type inbox struct {
	mu     sync.Mutex
	lanes  []queue.FIFO // by queue number
	cache  queue.Cache
	wakes  *Coroutine     // woken tasks, the newest first
	closed bool           // no new tasks from outside
	n      relaxed.Uint64 // tasks in the lanes
	woken  relaxed.Uint64 // and on the list of wakes
	handed bool           // one of these is by a task that has handed something over, see linger.go
}

const (
	stateRunning uint32 = iota
	stateParked
)

// inject gives w a new task. If its inbox is closed it does so only if child is set: the task's parent
// waits on w for its moved section, so that neither worker nor pool can end before that.
func (w *worker) inject(id int, t queue.Task, child bool) bool {
	in := &w.inbox
	if Stepping() && w.stepper == nil && !w.byHand && CurrentStepper() != nil {
		panic("lockstep: a stepped task spawns into a pool that is not stepped; make the pool in the body, by T.Pool or lockstep.New")
	}
	w.inner()
	in.mu.Lock()
	if in.closed && !child {
		in.mu.Unlock()
		return false
	}
	in.lanes[id].Push(&in.cache, t)
	in.n.Add(1)
	in.mu.Unlock()
	w.inner()
	w.signal(attentionInbox)
	return true
}

// wake gives w a started task of its own that may go on. handed is that of unpark.
func (w *worker) wake(co *Coroutine, handed bool) {
	if w.stepper != nil {
		w.stepper.woken()
	}
	in := &w.inbox
	w.inner()
	in.mu.Lock()
	co.next = in.wakes
	in.wakes = co
	in.woken.Store(in.woken.Own() + 1)
	in.handed = in.handed || handed
	in.mu.Unlock()
	w.inner()
	w.signal(attentionInbox)
}

// signal sets an attention bit and wakes the worker if it sleeps.
func (w *worker) signal(bit uint32) {
	if w.stepper != nil && bit != attentionStepped {
		w.stepper.signalled.Store(true)
	}
	for old := w.attention.Load(); old&bit == 0; old = w.attention.Load() {
		if w.attention.CompareAndSwap(old, old|bit) {
			break
		}
	}
	w.inner()
	if w.state.Load() == stateParked {
		w.unpark()
	} else if w.held.Load() && bit == attentionInbox {
		w.p.callHelpers()
	}
}

// signalAll signals every worker.
func (p *Pool) signalAll(bit uint32) {
	for _, w := range *p.everyone.Load() {
		w.signal(bit)
	}
}

// close refuses new tasks from now on.
func (in *inbox) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
}

// unpark ends the worker's sleep; false means that it was not asleep.
func (w *worker) unpark() bool {
	if !w.unparkSelf() {
		return false
	}
	w.inner()
	w.parker.unpark()
	return true
}

// admit makes ready what has arrived in the inbox.
func (w *worker) admit() {
	in := &w.inbox
	w.inner()
	in.mu.Lock()
	w.mu.Enter()
	if in.n.Own() > 0 {
		for id := range in.lanes {
			w.sched.PushAll(w.queues[id].q, &in.lanes[id])
		}
		in.n.Store(0)
		w.sched.Recycle(&in.cache)
	}
	w.mu.Exit()
	wakes := in.wakes
	in.wakes = nil
	in.woken.Store(0)
	if in.handed {
		in.handed = false
		w.linger.Near()
	}
	in.mu.Unlock()
	for co := reversed(wakes); co != nil; { // ready in the order of the wakes
		next := co.next
		co.next = nil
		w.wokenOutside(co)
		co = next
	}
	w.checkPreempt()
}

// reversed turns a list of wakes round.
func reversed(list *Coroutine) (turned *Coroutine) {
	for list != nil {
		next := list.next
		list.next = turned
		turned, list = list, next
	}
	return turned
}

// wokenOutside makes a task ready whose wake came from outside the worker.
func (w *worker) wokenOutside(co *Coroutine) {
	w.mu.Enter()
	defer w.mu.Exit()
	if co.wait != parked {
		co.wait = notified
		return
	}
	co.wait = running
	w.sched.Push(co.qs.q, co.entry())
}

// checkPreempt makes the running task look up soon when a latency queue
// has become active.
func (w *worker) checkPreempt() {
	if w.sched.Preempt() {
		w.credit = 0
	}
}

// park waits until somebody signals or the next timer is due.
func (w *worker) park() {
	w.stats.parks.Add(1)
	if !w.isHelper {
		w.p.parked.Inc()
	}
	w.p.awake.Dec()
	w.inner()
	w.state.Store(stateParked)
	w.inner()
	if w.p.closing.Load() {
		w.p.tryEnd()
	}
	w.inner()
	if (w.attention.Load() != 0 || !w.parker.wait(w.mayResume())) && !w.unparkSelf() {
		w.parker.wait(-1)
	}
	w.p.rouse()
}

func (w *worker) unparkSelf() bool {
	w.p.epoch.Inc()
	w.inner()
	if !w.state.CompareAndSwap(stateParked, stateRunning) {
		return false
	}
	w.p.awake.Inc()
	if !w.isHelper {
		w.p.parked.Dec()
	}
	return true
}
