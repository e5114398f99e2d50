package pool

import (
	"sync"
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/queue"
)

// Pool is a set of workers with their task queues.
type Pool struct {
	cfg      Config
	queues   []*Queue
	birth    time.Time
	capacity *Capacity // nil when unbounded
	overflow *overflow

	active   atomic.Pointer[[]*worker] // workers that get new work
	everyone atomic.Pointer[[]*worker] // and those that are ending

	parked atomic.Int32 // workers asleep, helpers not counted
	awake  atomic.Int32 // workers and helpers that are not asleep
	epoch  atomic.Uint64
	turnOf atomic.Uint64 // round robin, where goroutines cannot be told apart

	tokens      atomic.Int32
	tokensGiven int32 // the monitor's
	wakesPaid   atomic.Bool

	heldWorkers                               atomic.Pointer[[]*worker]
	stalls, rescues, rescued, denied, bounded atomic.Uint64
	worst                                     worst

	usedOutside atomic.Bool  // by who is no task, since a worker has looked; see lend.go
	lendUntil   atomic.Int64 // on the pool's clock

	closing atomic.Bool // no new tasks from outside
	killed  atomic.Bool // tasks are to be ended
	ended   atomic.Bool // no task is left; workers may go
	done    chan struct{}

	mu      stepMutex // guards the sets of workers, and the steps of closing
	nextID  int
	retired []QueueStats // totals of workers that have ended

	workers sync.WaitGroup
	helpers sync.WaitGroup // monitor
	stop    chan struct{}

	monitorAsleep atomic.Bool
	monitorWake   chan struct{}

	closeOnce sync.Once
	closed    chan struct{} // everything has ended

	stepper *Stepper // nil but in tests
	live    int      // tasks that are not over, if stepped
	front   any      // what the root package keeps for a stepper's first pool
}

// Queue is a task queue of a pool.
type Queue struct {
	p      *Pool
	id     int
	name   string
	move   bool
	shares atomic.Int64
}

// New starts a pool. The configuration must have been checked. A stepped task's call makes a pool of its stepper.
func New(cfg Config) *Pool {
	if d := CurrentStepper(); d != nil {
		return d.NewPool(cfg)
	}
	p := newPool(cfg)
	n := cfg.Workers
	if n == 0 {
		n = spare.base()
	}
	if cfg.SpareProcs > 0 {
		spare.acquire(cfg.SpareProcs)
	}
	p.resize(n)
	p.helpers.Add(1)
	go p.monitor()
	return p
}

// newPool makes a pool without workers.
func newPool(cfg Config) *Pool {
	p := &Pool{
		cfg: cfg, birth: time.Now(),
		done: make(chan struct{}), stop: make(chan struct{}), closed: make(chan struct{}),
		monitorWake: make(chan struct{}, 1),
		tokensGiven: wakeTokens,
	}
	p.tokens.Store(wakeTokens)
	for i, q := range cfg.Queues {
		pq := &Queue{p: p, id: i, name: q.Name, move: q.Move}
		pq.shares.Store(int64(q.Shares))
		p.queues = append(p.queues, pq)
	}
	p.retired = make([]QueueStats, len(p.queues))
	p.overflow = newOverflow(cfg.Overflow, p.now, p.adviseShort)
	if cfg.Capacity > 0 {
		p.capacity = &Capacity{p: p, limit: cfg.Capacity}
	}
	p.active.Store(&[]*worker{})
	p.everyone.Store(&[]*worker{})
	p.heldWorkers.Store(&[]*worker{})
	return p
}

// now is the pool's clock, in nanoseconds since it was made. It is never 0.
func (p *Pool) now() int64 {
	if d := p.stepper; d != nil {
		by := d.Enter()
		now := d.now
		by.Leave()
		return now
	}
	return int64(time.Since(p.birth)) + 1
}

// Queue returns task queue number id.
func (p *Pool) Queue(id int) *Queue { return p.queues[id] }

// Workers returns the number of workers that take new tasks.
func (p *Pool) Workers() int { return len(*p.active.Load()) }

// Pool returns the queue's pool.
func (q *Queue) Pool() *Pool { return q.p }

// ID returns the queue's number.
func (q *Queue) ID() int { return q.id }

// Name returns the queue's name.
func (q *Queue) Name() string { return q.name }

// SetShares changes the queue's weight, on every worker at its next look.
func (q *Queue) SetShares(n int) {
	q.shares.Store(int64(n))
	q.p.signalAll(attentionShares)
}

// Spawn accepts a task; false means that the pool is closed. site is where it was
// spawned, from package gid, with the marks of package queue.
//
// A task spawned by a task of this pool goes to the worker that runs it; anything
// else to a worker chosen by the calling goroutine, so that what one
// goroutine spawns into a queue starts in that order as long as nothing is stolen.
// Spawn does not wait: a bounded pool counts in the caller.
func (q *Queue) Spawn(f func(), site uint32) bool {
	if q.p.stepper != nil {
		return q.p.stepper.spawn(q, nil, f, site, false)
	}
	return q.spawn(f, site)
}

func (q *Queue) spawn(f func(), site uint32) bool {
	if co := Current(); co != nil && co.w.p == q.p {
		w := co.w
		w.mu.Enter()
		w.sched.Push(w.queues[q.id].q, queue.Task{Fn: f, Site: site, Age: w.age})
		w.backlog.Store(uint64(w.sched.Len()))
		w.mu.Exit()
		w.checkPreempt()
		if q.p.parked.Load() > 0 && w.surplus() {
			q.p.wakeOne()
		}
		if w.held.Load() {
			q.p.callHelpers()
		}
		return true
	}
	return q.p.inject(q.id, queue.Task{Fn: f, Site: site})
}

// inject gives a task to a worker from outside.
func (p *Pool) inject(id int, t queue.Task) bool {
	if !p.usedOutside.Load() {
		p.usedOutside.Store(true)
	}
	for {
		w := p.choose()
		if w == nil {
			return false
		}
		if w.state.Load() == stateRunning {
			t.Age = age(int64(w.clock.Load()))
		}
		if w.inject(id, t, false) {
			return true
		}
		if p.closing.Load() {
			parent := p.sectionTask()
			return parent != nil && parent.w.inject(id, t, true)
		}
	}
}

// choose picks the worker for a task from outside: the same for the same goroutine,
// unless that one is in a long task and another sleeps.
func (p *Pool) choose() *worker {
	all := *p.active.Load()
	if len(all) == 0 {
		return nil
	}
	h := uint64(gid.Get())
	if h == 0 || p.stepper != nil {
		h = p.turnOf.Inc()
	}
	w := all[h*0x9E3779B97F4A7C15>>32*uint64(len(all))>>32] // a product, where a remainder takes ten times as long
	if len(all) == 1 || w.state.Load() == stateParked || p.parked.Load() == 0 {
		return w
	}
	// w runs. Is it in a task that has taken a while already? The tokens bound how often
	// the clock is read to find out.
	if p.tokens.Load() <= 0 || p.tokens.Dec() < 0 || p.now()-int64(w.clock.Load()) < longTask {
		return w
	}
	for _, v := range all {
		if v.state.Load() == stateParked {
			return v
		}
	}
	return w
}

// longTask is how long ago the last look at the clock of a worker must be for it to be taken as busy with one task. A worker
// with short tasks looks every 60 µs or more often.
const longTask = 100_000

// resize changes the number of workers that take new tasks. Those that are too many
// finish what has started on them and end; the others may steal the rest.
func (p *Pool) resize(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing.Load() {
		return
	}
	active := append([]*worker(nil), *p.active.Load()...)
	var leaving []*worker
	for len(active) < n {
		w := p.newWorker()
		active = append(active, w)
		p.start(w)
	}
	for len(active) > n {
		leaving = append(leaving, active[len(active)-1])
		active = active[:len(active)-1]
	}
	p.active.Store(&active)
	for _, w := range leaving {
		w.inbox.close()
		w.leaving.Store(true)
		w.signal(attentionShutdown)
	}
}

// start starts a worker's thread. p.mu is held, or the pool is not yet shared.
func (p *Pool) start(w *worker) {
	every := append([]*worker(nil), *p.everyone.Load()...)
	every = append(every, w)
	p.everyone.Store(&every)
	// What was signalled to everyone before w was among them, a kill or new shares, it looks at first.
	w.attention.Store(attentionShares | attentionShutdown)
	p.awake.Inc()
	p.workers.Add(1)
	go w.run()
}

func (p *Pool) newWorker() *worker {
	w := &worker{p: p, id: p.nextID, floating: p.cfg.Floating, sched: queue.New(int64(p.cfg.Quantum))}
	p.nextID++
	w.random = uint64(w.id)*0x9E3779B97F4A7C15 + 1
	w.mu.Init()
	w.parker.init()
	w.inbox.lanes = make([]queue.FIFO, len(p.queues))
	for i, q := range p.queues {
		w.queues = append(w.queues, &queueState{id: i, q: w.sched.Add(int(q.shares.Load()), int64(p.cfg.Queues[i].Latency))})
	}
	return w
}

// applyShares takes over changed weights.
func (w *worker) applyShares() {
	w.mu.Enter()
	defer w.mu.Exit()
	for i, q := range w.p.queues {
		w.sched.SetShares(w.queues[i].q, int(q.shares.Load()))
	}
}

// follow keeps a pool that was not told how many workers to have at GOMAXPROCS.
func (m *monitor) follow() {
	n := spare.base()
	if n == m.procs {
		return
	}
	m.procs = n
	m.p.resize(n)
}
