package pool

import (
	"runtime"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/biased"
	"github.com/lockstep-go/lockstep/internal/guess"
	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/queue"
)

// Bits of a worker's attention word. Whoever wants something of a worker does
// the thing itself first (append to the inbox, set a flag) and then sets the bit. The
// worker takes all bits at once and then looks at everything they stand for.
const (
	attentionInbox    uint32 = 1 << iota // tasks or wakes have arrived
	attentionShares                      // a queue's shares were changed
	attentionHeld                        // there is work on held workers, for a helper
	attentionShutdown                    // the pool is closing, or ending its tasks, or has ended
	attentionStepped                     // set for good: a stepper decides, see stepper.go
)

// worker is one OS thread, locked, and the scheduler loop on it.
//
// Who may touch what: the first group is atomic. The second group, the active lists in
// sched and the timers, is guarded by mu, which is biased to the worker; a thief
// takes stealable tasks under it. Everything else belongs to the worker's thread.
type worker struct {
	p        *Pool
	id       int
	floating bool

	attention atomic.Uint32
	state     atomic.Uint32 // see inbox.go
	inbox     inbox
	parker    parker
	running   relaxed.Uint64 // label of the task that runs, 0 between tasks
	backlog   relaxed.Uint64 // tasks ready; a hint for thieves
	clock     relaxed.Uint64 // the clock as the worker read it last
	started   atomic.Int64   // tasks that have yielded or waited and are not finished
	noted     relaxed.Uint64 // 1 when the worker has taken note of a kill
	thread    atomicThread   // of the worker, for its CPU clock
	timersDue relaxed.Uint64 // when the next timer is due, 0 if there is none
	slow      atomic.Bool    // the monitor found it in one task for a round, with work behind
	leaving   atomic.Bool    // the worker is one too many and is to end
	isHelper  bool
	onDuty    atomic.Bool  // a helper that looks after held workers
	held      atomic.Bool  // the worker is held by its task, see rescue.go
	computes  atomic.Bool  // by one that computes, as opposed to blocks
	lastOwn   atomic.Int64 // when a helper last took a task of that one's queue
	_         [64]byte     // the words above are written by others

	mu     biased.Lock
	sched  *queue.Sched
	timers timers

	stepper *Stepper // nil but in tests
	byHand  bool     // its thread is a stepped task, see step_inner.go

	credit int32       // scheduler entries until the clock is read
	given  int32       // what credit was set to
	pace   int64       // ns a scheduler entry took lately
	now    int64       // the clock as last read
	lendAt int64       // when to lend the P
	linger guess.Guess // whether to look before it sleeps
	age    uint32
	fresh  bool // turn need not look again

	cur     *Coroutine // that runs
	target  *Coroutine // that a run queue's entry has named, to be resumed
	base    *Coroutine
	visited *queueState
	handoff queue.Task    // what a coroutine from free begins with
	pending queue.Task    // what base goes on with after a coroutine ended
	reaping *Coroutine    // about to end
	free    []*Coroutine  // without a task
	queues  []*queueState // by queue number
	killing bool          // tasks are to be ended
	outside bool          // wakes come from outside the tasks: timers, shutdown
	exit    bool          // base is to end all coroutines and return

	allMu sync.Mutex
	all   []*Coroutine

	stats  workerCounts
	random uint64

	seen   uint64 // the monitor's: entries when it last looked
	watch  watch  // the monitor's
	unused int    // the monitor's: rounds that a helper was not on duty

	graceTimer timer
	cleanups   []func() // of a stepped worker
	offers     *Step    // see step_policy.go
}

// run is the worker's goroutine: base.
func (w *worker) run() {
	defer w.p.workers.Done()
	defer w.p.awake.Dec()
	if !w.floating {
		runtime.LockOSThread()
		// The thread goes back to the runtime unlocked only if no hook has changed it.
		if w.p.cfg.ThreadInit == nil {
			defer runtime.UnlockOSThread()
		}
	}
	w.thread.set(w.floating)
	if f := w.p.cfg.ThreadInit; f != nil {
		if cleanup := f(w.id); cleanup != nil {
			defer cleanup()
		}
	}
	w.base = &Coroutine{w: w}
	w.cur = w.base
	w.readClock()
	for !w.exit || w.reaping != nil {
		switch t := w.pending; {
		case w.reaping != nil:
			w.reap()
		case t.Fn != nil:
			w.pending.Fn = nil
			t.Fn()
			w.transfer(w.base, w.target)
		default:
			w.transfer(w.base, w.freeCoroutine())
		}
	}
	for n := len(w.free); n > 0; n = len(w.free) {
		co := w.free[n-1]
		w.free = w.free[:n-1]
		co.retiring = true
		w.transfer(w.base, co)
		w.reap()
	}
}

// freeCoroutine returns a coroutine without a task.
func (w *worker) freeCoroutine() *Coroutine {
	n := len(w.free)
	if n == 0 {
		return w.newCoroutine()
	}
	co := w.free[n-1]
	w.free[n-1] = nil
	w.free = w.free[:n-1]
	return co
}

// take returns the next task to run, waiting for one if need be. It runs on
// whatever coroutine is running, also on that of a task which waits. It returns no
// task (Fn is nil) when the worker is to end, and then no task is left on it.
func (w *worker) take() queue.Task {
	for !w.exit {
		if w.credit > 0 && w.attention.Load() == 0 {
			w.credit--
			w.mu.Enter()
			t, ok := w.sched.Next()
			if !ok && w.sched.Extend() {
				t, ok = w.sched.Next()
			}
			w.backlog.Store(uint64(w.sched.Len()))
			w.mu.Exit()
			if ok {
				w.visited.popped(w, t)
				return t
			}
		}
		w.turn()
	}
	return queue.Task{}
}

// turn is the slow path of the scheduler: it looks at everything that is not
// looked at for every task, and begins the next visit. When nothing is ready it
// steals or parks.
func (w *worker) turn() {
	w.look()
	w.mu.Enter()
	if w.sched.Continues(w.now) {
		w.mu.Exit()
		w.grant()
		return
	}
	w.sched.EndVisit(w.now)
	w.publish()
	ok := w.sched.Pick(w.now)
	w.mu.Exit()
	if !ok {
		for _, qs := range w.queues { // a thief may have emptied a queue since its last visit
			if qs.queued.Own() != 0 {
				qs.queued.Store(0)
			}
		}
		w.idle()
		return
	}
	w.visited = w.queues[w.sched.Current().ID()]
	w.grant()
}

// look brings in what others want of the worker, reads the clock and fires the timers
// that are due.
func (w *worker) look() {
	if w.fresh {
		w.fresh = false
		return
	}
	if w.attention.Load() != 0 {
		w.attend()
	}
	w.readClock()
	w.fireTimers()
	if w.now >= w.lendAt {
		w.lend()
	}
}

// attend looks at everything that attention bits stand for.
func (w *worker) attend() {
	bits := w.attention.Swap(0)
	w.inner()
	if bits&attentionInbox != 0 {
		w.admit()
	}
	if bits&attentionShares != 0 {
		w.applyShares()
	}
	if bits&attentionShutdown != 0 {
		w.attendShutdown()
	}
}

// readClock reads the clock and decides, from how long the scheduler entries since the
// last reading took, how many may pass until the next one.
func (w *worker) readClock() {
	before := w.now
	w.setClock()
	if used := w.given - w.credit; used > 0 {
		w.pace = max(w.now-before, 1) / int64(used)
	}
}

func (w *worker) setClock() {
	w.now = w.p.now()
	w.clock.Store(uint64(w.now))
	w.age = age(w.now)
}

// The clock is read about clockReads times a quantum, and at least every
// maxCredit entries, so that a worker whose tasks suddenly become slow is not
// late by more than that many. A reading costs 40 ns, an entry a few.
const (
	clockReads = 16
	maxCredit  = 32
)

// grant sets how many scheduler entries may pass until the clock is read.
func (w *worker) grant() {
	each := w.sched.VisitFor() / clockReads
	w.given = int32(min(max(each/max(w.pace, 1), 1), maxCredit))
	w.credit = w.given
}

// age is a time on the 32-bit clock of queued tasks, in units of 1024 ns, never
// 0, which stands for "not known". It goes round in 73 minutes.
func age(now int64) uint32 { return uint32(now>>10) | 1 }
