package pool

import (
	"log/slog"
	"time"

	"github.com/lockstep-go/lockstep/queue"
)

// Threads are the workers of a pool whose threads are stepped tasks: each calls Loop. The last ones, as many as there are helpers, help.
type Threads struct {
	p       *Pool
	ws      []*worker
	of      map[*Coroutine]*worker // by the task that stands for the thread
	started map[*Coroutine]func()  // what a task that has parked does when it goes on
}

// NewThreads makes a pool with so many workers and helpers.
func NewThreads(workers, helpers int) *Threads {
	p := newPool(Config{
		Queues: []QueueConfig{{Name: "default", Shares: queue.DefaultShares}}, Quantum: time.Hour, Logger: slog.New(slog.DiscardHandler), Quiet: true,
		Overflow: 1, Helpers: helpers, StallThreshold: time.Hour,
	})
	x := &Threads{p: p, of: map[*Coroutine]*worker{}, started: map[*Coroutine]func(){}}
	for i := range workers + helpers {
		w := p.newWorker()
		w.byHand = true
		w.base = &Coroutine{w: w}
		w.cur = w.base
		if i >= workers {
			w.isHelper, w.inbox.closed = true, true
		}
		x.ws = append(x.ws, w)
		p.awake.Inc()
	}
	active, every := x.ws[:workers], x.ws
	p.active.Store(&active)
	p.everyone.Store(&every)
	return x
}

// Float makes the threads floating ones: tasks that have parked may go on on another one.
func (x *Threads) Float() {
	for _, w := range x.ws {
		w.floating = true
	}
}

// Loop is the life of a worker's thread, which runs the tasks that it finds until the pool has ended.
func (x *Threads) Loop(i int) {
	w := x.ws[i]
	x.of[Current()] = w
	for {
		t := w.take()
		if t.Fn == nil {
			break
		}
		w.running.Store(1)
		w.target = nil
		t.Fn()
		if co := w.target; co != nil {
			x.started[co]()
			co.w.started.Dec()
		}
		w.running.Store(0)
	}
	x.p.awake.Dec()
}

// Inject gives a worker a task, from outside.
func (x *Threads) Inject(i int, f func()) bool {
	return x.ws[i].inject(0, queue.Task{Fn: f, Site: 1}, false)
}

// Spawn gives the worker of the calling thread a task.
func (x *Threads) Spawn(f func()) {
	w := x.of[Current()]
	w.mu.Enter()
	w.sched.Push(w.queues[0].q, queue.Task{Fn: f, Site: 1})
	w.backlog.Store(uint64(w.sched.Len()))
	w.mu.Exit()
	if w.p.parked.Load() > 0 && w.surplus() {
		w.p.wakeOne()
	}
	if w.held.Load() {
		w.p.callHelpers()
	}
}

// Started returns what wakes a task that has parked on a worker, which then runs f.
func (x *Threads) Started(i int, f func()) (wake func()) {
	w := x.ws[i]
	w.started.Inc()
	co := &Coroutine{w: w, qs: w.queues[0], wait: parked}
	co.resume = func() { x.of[Current()].target = co }
	co.off.Store(true)
	w.remember(co)
	x.started[co] = f
	return func() { co.unpark(nil, false) }
}

// Hold marks a worker as held until a helper is given for it, and LetGo takes that back, as the monitor does.
func (x *Threads) Hold(i int) bool { return x.p.hold(x.ws[i], false) == helpGiven }

// LetGo says that the worker has come back.
func (x *Threads) LetGo(i int) { x.p.letGo(x.ws[i]) }

// Helping counts the helpers on duty, and the workers that are held, by their own words and by the pool's list.
func (x *Threads) Helping() (onDuty, held, listed int) {
	for _, w := range x.ws {
		if w.onDuty.Load() {
			onDuty++
		}
		if w.held.Load() {
			held++
		}
	}
	return onDuty, held, len(*x.p.heldWorkers.Load())
}

// Left counts what the words for thieves say that there is on a worker.
func (x *Threads) Left(i int) int { return int(x.ws[i].inbox.n.Load() + x.ws[i].backlog.Load()) }

// SetDue sets an alarm on a worker that is due at once, from another thread.
func (x *Threads) SetDue(i int, a *Alarm) { x.ws[i].setAlarm(a, 1, nil) }

// Leave makes a worker one too many.
func (x *Threads) Leave(i int) {
	rest := without(*x.p.active.Load(), x.ws[i])
	x.p.active.Store(&rest)
	w := x.ws[i]
	w.inbox.close()
	w.leaving.Store(true)
	w.signal(attentionShutdown)
}

// Close refuses new tasks, and lets the workers end when none is left.
func (x *Threads) Close() { x.p.close() }

// Ended reports whether the pool has found that no task is left.
func (x *Threads) Ended() bool { return x.p.ended.Load() }

// Awake counts the threads that do not sleep, and Parked the workers that do.
func (x *Threads) Awake() int { return int(x.p.awake.Load()) }

// Parked counts the workers that sleep, helpers not.
func (x *Threads) Parked() int { return int(x.p.parked.Load()) }

// Set sets an alarm on a worker, for a time far away, from another thread.
func (x *Threads) Set(i int, a *Alarm) {
	if w := x.ws[i]; !w.setAlarm(a, w.p.now()+int64(time.Hour), nil) {
		a.setRuntime(time.Hour)
	}
}
