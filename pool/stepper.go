package pool

import (
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/stepping"
)

// Stepper runs the tasks of its pools one at a time on the goroutine that calls [Stepper.Run], and has a [Chooser] decide at every point
// which one goes on. It is the same engine, task queues, waits, timers, contexts and shutdown included, with three things exchanged:
//
//   - the threads: a worker has none. A task stops at a point by parking its coroutine, like one that waits;
//   - the clock: it stands, and moves to the next timer when nothing can run;
//   - the choice of what runs next.
//
// # Protocol
//
// One goroutine of the stepper's runs at a time: base (the caller of Run) or one coroutine. Whoever runs decides who is next (pick),
// and if it is another one, changes places with it (step_switch.go). So everything in here is touched by one at a
// time, and the switches order it. Other goroutines reach a stepped pool through its inboxes alone, as they do any other.
//
// A task is
//
//	new      in a run queue or an inbox; not begun
//	paused   at a point; in no run queue
//	waiting  it has parked: in a run queue if co.wait says running, else until somebody wakes it
//	over
//
// and enabled, so that it may be chosen, if it is new or paused, or has been woken, or waits with a context that has ended.
//
// # What it does not model
//
// Rescue (nothing blocks), stealing of started tasks, and how long anything takes.
type Stepper struct {
	// Early lets timers fire while tasks could still run, if the chooser has it so: time may pass at any point.
	Early bool
	// MaxSteps bounds the steps of a run; 0 is no bound.
	MaxSteps int
	// Workers is how many workers a pool gets that does not say.
	Workers int
	// Strict lets a worker run one task at a time: another one begins or goes on there only when that one yields, waits or ends. Otherwise
	// every task may go on at any time, as on enough workers.
	Strict bool
	// Policy has the queues of each worker decide which of its tasks comes next; see step_policy.go. It implies Strict.
	Policy bool
	// Watch, if not nil, is called at each step, before the task goes on.
	Watch func(t *Step)
	// Where keeps in each task where it stands.
	Where bool
	// Switches lets the race detector take each switch from one task to another for something that orders the two, as iter.Pull says: it then sees no races
	// between them. It is set before the first run.
	Switches bool
	// Order keeps what happened before what, for Knows.
	Order bool
	// Fine makes points inside of the library's synchronisation too; see Inner.
	Fine bool

	chooser Chooser
	pools   []*Pool // the first one is the host's
	host    *worker // of what has no worker of the pool: the first task, and moved sections
	now     int64

	tasks   []*Step // of the run, by ID
	spare   []*Step // of earlier runs, by ID
	live    []*Step // that are not over, by ID
	enabled []*Step
	clock   Step // stands for the passing of time, as a thing to choose

	running *Step      // whose turn it is
	next    *Step      // whom base is to have go on
	home    Coroutine  // stands for base; no task is ever on it
	cur     *Coroutine // who is to run, while switches are under way
	reaping *Coroutine // that ends
	steps   int
	atomic  int  // points are none, but waits are
	isFine  bool // Fine has been counted
	engine  bool // the stepper's own code runs: points in it are none
	ending  bool // tasks are being ended
	stop    StopReason
	panic   *PanicError
	panicOf *Step

	order     order
	manual    *manual     // nil in tests
	race      raceStepper // see step_race.go
	signalled atomic.Bool // something was signalled to a worker
	timed     bool        // a timer may be set

	named, want *Step // see take
	isWanted    func() bool
	closers     []closer
	follows     []*followed
	foreign     atomic.String  // what a goroutine has done that is no task
	leaving     atomic.Uintptr // the goroutine of a coroutine that ends
	base        uintptr        // the goroutine that runs the schedules, if that is always the same
}

// Chooser decides for a stepper.
type Chooser interface {
	// Next returns the index of the task that goes on. enabled is not empty, in the order of IDs, with the passing
	// of time, if that is possible, at the end. at is the index of the task that runs, -1 if it can't go on.
	Next(enabled []*Step, at int) int
	// Decide returns one of 0 to n-1; n is more than 1.
	Decide(what Choice, n int) int
}

// StopReason is how a run has ended.
type StopReason uint8

// How a run ends.
const (
	StopDone     StopReason = iota // every task is over
	StopDeadlock                   // those that are not wait, and nothing will wake them
	StopSteps                      // after MaxSteps
	StopPanic                      // by a panic of a task
	StopAsked                      // by Stop
)

// NewStepper returns a stepper without pools.
func NewStepper(c Chooser) *Stepper {
	d := &Stepper{chooser: c, Workers: 2, now: 1}
	d.clock = Step{ID: -1, Parent: -1, Op: OpClock, state: stepPaused}
	d.isWanted = func() bool { return d.named == d.want }
	stepping.Add(1)
	return d
}

// SetChooser exchanges the chooser, between runs or in the middle of one.
func (d *Stepper) SetChooser(c Chooser) { d.chooser = c }

// Now is the time on the stepper's clock, since it began.
func (d *Stepper) Now() time.Duration {
	by := d.Enter()
	now := d.now
	by.Leave()
	return time.Duration(now - 1)
}

// Steps returns how many steps the run has made.
func (d *Stepper) Steps() int { return d.steps }

// Tasks returns the tasks of the run, in the order of their spawns. They are used again by the next run.
func (d *Stepper) Tasks() []*Step { return d.tasks }

// Running returns the task whose turn it is.
func (d *Stepper) Running() *Step {
	by := d.Enter()
	t := d.running
	by.Leave()
	return t
}

// Panic returns the panic that has ended the run, and whose it was.
func (d *Stepper) Panic() (*PanicError, *Step) { return d.panic, d.panicOf }

// Stop ends the run at the next point.
func (d *Stepper) Stop() { d.stopFor(StopAsked) }

func (d *Stepper) stopFor(r StopReason) {
	by := d.Enter()
	if d.stop == StopDone {
		d.stop = r
	}
	by.Leave()
}

// Spent lets time pass: d more on the clock, as if the running task had computed for that long. Timers that are due by then may fire.
func (d *Stepper) Spent(t time.Duration) {
	by := d.Enter()
	d.now += int64(max(t, 0))
	by.Leave()
}

// Atomic called with 1 makes the running task's points none until it is called with -1.
func (d *Stepper) Atomic(n int) {
	by := d.Enter()
	d.atomic += n
	by.Leave()
}

// Pools returns how many pools there are.
func (d *Stepper) Pools() int { return len(d.pools) }

// CurrentStepper returns the stepper of the calling task, nil if it is not stepped.
func CurrentStepper() *Stepper {
	if !Stepping() {
		return nil
	}
	if co := Current(); co != nil {
		return co.w.stepper
	}
	return nil
}

// Run calls f as a task and steps it and the pools' tasks until none is left that could go on. [Stepper.End] must follow.
func (d *Stepper) Run(f func()) StopReason {
	if raceEnabled {
		d.raceBegins()
	}
	if d.Fine && !d.isFine {
		d.isFine = true
		stepping.AddFine(1)
	}
	by := d.enterBase()
	if d.host == nil {
		d.makeHost()
	}
	d.begin(f)
	d.stop = StopDone
	d.loop(d.pick())
	if d.stop == StopDone && len(d.live) > 0 {
		d.stop = StopDeadlock
	}
	if raceEnabled {
		d.raceGather()
	}
	by.LeaveTold(d)
	return d.stop
}

// End ends a run: it ends the tasks that are left, as by runtime.Goexit, and forgets the run. It reports whether the stepper
// can be used for another run with its pools as they are: not if tasks were left, or something was not as at the beginning.
func (d *Stepper) End() (clean bool) {
	by := d.enterBase()
	clean = d.end()
	by.LeaveTold(d)
	return clean
}

func (d *Stepper) end() (clean bool) {
	clean = len(d.live) == 0
	d.ending = true
	for len(d.live) > 0 {
		t := d.live[len(d.live)-1]
		if t.state == stepNew {
			d.over(t)
			continue
		}
		d.loop(t)
		if t.state != stepOver {
			panic("lockstep: a task goes on after it was ended: its deferred calls wait in a loop")
		}
	}
	d.ending = false
	if raceEnabled {
		d.raceGather()
		d.raceForget()
	}
	d.next, d.running, d.stop, d.panic, d.panicOf = nil, nil, StopDone, nil, nil
	d.tasks, d.live, d.closers = d.tasks[:0], d.live[:0], d.closers[:0]
	d.now, d.steps, d.atomic = 1, 0, 0
	clear(d.order.objects)
	return clean && d.unchanged()
}

// unchanged reports whether the pools are as new.
func (d *Stepper) unchanged() bool {
	for _, p := range d.pools {
		if p.closing.Load() {
			return false
		}
		for _, w := range *p.everyone.Load() {
			if len(w.timers.heap) > 0 || w.sched.Len() > 0 || w.offers != nil {
				return false
			}
		}
	}
	return true
}

// Discard ends the coroutines of the pools, except the first keep, and forgets these. No run is under way.
func (d *Stepper) Discard(keep int) {
	by := d.enterBase()
	for _, p := range d.pools[keep:] {
		for _, w := range *p.everyone.Load() {
			for _, co := range w.free {
				co.retiring = true
				d.transfer(&d.home, co)
				d.reap()
			}
			w.free = nil
			for _, f := range w.cleanups {
				f()
			}
			w.cleanups = nil
		}
	}
	clear(d.pools[keep:])
	d.pools = d.pools[:keep]
	if keep == 0 {
		d.host = nil
	}
	by.LeaveTold(d)
}

// Close ends the stepper.
func (d *Stepper) Close() {
	d.Discard(0)
	if raceEnabled {
		d.raceEnds()
	}
	if d.isFine {
		d.isFine = false
		stepping.AddFine(-1)
	}
	stepping.Add(-1)
}

// point is Point of a stepped task.
func (d *Stepper) point(t *Step, op Op, obj any) {
	if d.ending {
		d.endTask(t)
	}
	if d.engine || t != d.running {
		return
	}
	t.Op, t.Obj = op, obj
	if d.atomic == 0 {
		d.pause(t)
	}
	if d.Order {
		d.orderPoint(t)
	}
}

// pause is where another task may go on.
func (d *Stepper) pause(t *Step) {
	if d.Where {
		t.stands()
	}
	t.state = stepPaused
	if next := d.pick(); next != t {
		d.park(t, next)
	}
}

// park has next go on in the place of the running task t, whose state says why that stops.
func (d *Stepper) park(t *Step, next *Step) {
	d.transfer(t.co, d.turn(next))
	if d.ending {
		d.endTask(t)
	}
}

// gaveWay is what a wait or a yield does: it returns when the task's turn has come.
func (d *Stepper) gaveWay(co *Coroutine, why Why) {
	t := co.step
	if d.ending {
		d.endTask(t)
	}
	t.Why, t.state = why, stepWaiting
	atomic := d.atomic
	d.atomic = 0 // others go on, each with its points
	if d.Where {
		t.stands()
	}
	if next := d.pick(); next != t {
		d.park(t, next)
	}
	t.Why, d.atomic = WhyRunning, atomic
	if why != WhyYield {
		t.waited = d.steps
	}
	if d.Order {
		d.orderWait(t, why)
	}
}

// yield is Yield: everybody else who can goes on first.
func (d *Stepper) yield(t *Step, op Op) {
	if d.Policy && t.w != d.host {
		d.yieldByPolicy(t, false)
		return
	}
	t.yielded = true
	d.point(t, op, nil)
	t.yielded = false
}
