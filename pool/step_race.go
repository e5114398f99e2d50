package pool

import (
	"runtime"

	"github.com/lockstep-go/lockstep/internal/racectx"
)

// # Protocol: stepped tasks under the race detector
//
// For the detector every task is a goroutine that knows of the others only what it would know in production, although they run one at a time. The engine,
// that is the stepper, its chooser, and the workers with their run queues, timers and counters, is one more: it has the context of
// a goroutine that does nothing else. A task that calls the engine takes that context for as long, and gives it back (Enter and Leave). So does base, from
// run to run another goroutine perhaps. So
//
//   - what only the engine touches is touched by one for the detector: no report;
//   - the switches are the engine's: a task learns nothing of the one that ran before it: no race is hidden;
//   - what a task has, such as its Waiter or a context, the engine touches in the task's own name (acts), or has been told of (EnterTold).
//
// What really orders tasks is told to the detector where it happens:
//
//	what                          releases                          acquires
//	spawn                         who spawns, at the Step           the task, when it begins
//	wake                          who wakes, at the coroutine       the task, when its park returns
//	the end of a task             the task, at its pool             whoever has waited for the end of the pool
//	the end of a run              all tasks, at their pools         base, and so the next run
//
// The rest, atomics and locks of tasksync, chans and others, tasks do in their own context, as in production.
//
// A coroutine runs one task of a run: two on the same one would be one for the detector. It is kept for the next run.
//
// The engine, too, learns: from whom it was told, and at locks that it shares with tasks, such as a Timer's. It hands that on when it
// wakes somebody for a timer. So a race may be missed between what a task did before it set a timer, and a task whose wait another
// timer ends; no race is invented.
//
// # Calls
//
// The detector keeps the calls of a context as a stack, so a function has to return in the context that it was called in. What changes
// contexts is marked go:norace, and so not on that stack; it is not deferred, except without arguments, because the compiler
// wraps a deferred call with arguments in a function that is not marked. So Leave is not called when the task ends by Goexit, and raceExit is called before that.
//
// In other builds raceEnabled is false, and nothing of this is compiled.
const raceEnabled = racectx.Enabled

// raceStepper is the part of a [Stepper] that belongs to the detector.
type raceStepper struct {
	engine Racer        // 0 if contexts cannot be exchanged, and before the first run
	end    func()       // ends its goroutine
	lent   Racer        // the context that the engine has taken to act for a task, 0 if it has not
	used   []*Coroutine // that have run a task in this run
	waking bool         // the engine wakes for somebody else
}

// Racer is somebody for the detector: the context of a goroutine. 0 is nobody.
type Racer uintptr

// raceBegins makes the engine, at the first run.
func (d *Stepper) raceBegins() {
	if !racectx.Supported() || d.Switches || d.race.engine != 0 {
		return
	}
	made, end, ended := make(chan Racer), make(chan struct{}), make(chan struct{})
	go func() { // it does nothing but to have a context
		defer close(ended)
		made <- Racer(racectx.Get())
		<-end
	}()
	d.race.engine = <-made
	d.race.end = func() {
		close(end)
		<-ended
	}
}

// raceEnds ends it.
func (d *Stepper) raceEnds() {
	if d.race.engine != 0 {
		d.race.engine = 0
		d.race.end()
	}
}

// enterBase is EnterTold for base.
//
//go:norace
func (d *Stepper) enterBase() Racer {
	if !raceEnabled || d.race.engine == 0 || Racer(racectx.Get()) == d.race.engine {
		return 0
	}
	racectx.Release(&d.race.lent)
	base := racectx.Swap(uintptr(d.race.engine))
	racectx.Acquire(&d.race.lent)
	return Racer(base)
}

// outside reports whether the caller is a task of the stepper, or acts for one, and not the engine.
//
//go:norace
func (d *Stepper) outside() bool {
	if !raceEnabled || d == nil || d.race.engine == 0 {
		return false
	}
	switch Racer(racectx.Get()) {
	case d.race.engine:
		return false
	case d.race.lent:
		return true
	}
	co := Current()
	return co != nil && co.w.stepper == d
}

// Enter makes the caller the engine, if it is outside, and returns whom Leave makes of it again.
//
//go:norace
func (d *Stepper) Enter() Racer {
	if !d.outside() {
		return 0
	}
	return Racer(racectx.Swap(uintptr(d.race.engine)))
}

// Leave makes the engine r again.
//
//go:norace
func (r Racer) Leave() {
	if r != 0 {
		racectx.Swap(uintptr(r))
	}
}

// EnterTold is Enter for what the engine does with things of the task's: it knows from now on what the task knows.
//
//go:norace
func (d *Stepper) EnterTold() Racer {
	if !d.outside() {
		return 0
	}
	racectx.Release(&d.race.lent)
	r := racectx.Swap(uintptr(d.race.engine))
	racectx.Acquire(&d.race.lent)
	return Racer(r)
}

// LeaveTold is Leave with things of the engine's: the task knows from now on what the engine knows.
//
//go:norace
func (r Racer) LeaveTold(d *Stepper) {
	if r != 0 {
		racectx.Release(&d.race.lent)
		racectx.Swap(uintptr(r))
		racectx.Acquire(&d.race.lent)
	}
}

// acts makes the engine the task on co, which is parked, or is the caller, until the result's back is called.
//
//go:norace
func (co *Coroutine) acts() (x acting) {
	if d := co.w.stepper; raceEnabled && d != nil && d.race.engine != 0 && co.race != 0 {
		x = acting{d, Racer(racectx.Get()), d.race.lent}
		d.race.lent = co.race
		racectx.Swap(uintptr(co.race))
	}
	return x
}

// acting is who acts, and for whom it acted before.
type acting struct {
	d         *Stepper
	now, lent Racer
}

//go:norace
func (x acting) back() {
	if x.d != nil {
		racectx.Swap(uintptr(x.now))
		x.d.race.lent = x.lent
	}
}

// raceSpawns lets the new task t, which begins with that, know all that the spawning one knows: the caller, or, if a timer spawns it, the engine.
//
//go:norace
func (d *Stepper) raceSpawns(t *Step) {
	by := d.race.lent
	if co := Current(); by == 0 && co != nil && !d.engine {
		by = co.race
	}
	if by == 0 {
		racectx.Release(&t.ID)
		return
	}
	now := racectx.Swap(uintptr(by))
	racectx.Release(&t.ID)
	racectx.Swap(now)
}

// tellsWoken lets co, when it goes on, know all that the caller knows, who wakes it. It reports whether that is outside.
//
//go:norace
func (d *Stepper) tellsWoken(co *Coroutine) bool {
	if d == nil || d.race.engine == 0 {
		return false
	}
	if !d.race.waking || Racer(racectx.Get()) != d.race.engine {
		racectx.ReleaseMerge(&co.wait)
	}
	return d.outside()
}

// raceMain is main with the goroutine of co as the engine, except where its tasks run.
//
//go:norace
func (co *Coroutine) raceMain(yield func(struct{}) bool) {
	d := co.w.stepper
	if d.race.engine != 0 {
		co.race = Racer(racectx.Swap(uintptr(d.race.engine)))
	}
	co.own.yield = yield
	co.main()
	co.raceLeaves()
}

// raceLeaves is called last. The goroutine ends as itself, and knows what the engine knows, because iter.Pull has memory that both touch.
//
//go:norace
func (co *Coroutine) raceLeaves() {
	if own := co.race; own != 0 {
		co.race = 0
		racectx.ReleaseMerge(&co.wait)
		racectx.Swap(uintptr(own))
		racectx.Acquire(&co.wait)
	}
}

// raceRun calls f, the function of the task t, as the task.
//
//go:norace
func (co *Coroutine) raceRun(t *Step, f func()) {
	if co.race != 0 {
		racectx.Swap(uintptr(co.race))
		racectx.Acquire(&t.ID)
		defer raceRan()
	}
	f()
}

// raceRan makes the engine of the task that has ended, also by a panic or Goexit.
//
//go:norace
func raceRan() {
	co := Current()
	racectx.Swap(uintptr(co.race))
	racectx.ReleaseMerge(&co.step.pool.live)
	racectx.Swap(uintptr(co.w.stepper.race.engine))
}

// raceExit ends the calling task by Goexit, as itself.
//
//go:norace
func (co *Coroutine) raceExit() {
	if co.race != 0 {
		racectx.Swap(uintptr(co.race))
	}
	runtime.Goexit()
}

// raceEnding makes a task that the end of the run ends know of all: nothing of what its deferred calls find would be so otherwise.
//
//go:norace
func (d *Stepper) raceEnding(co *Coroutine) {
	racectx.Release(&d.ending)
	x := co.acts()
	racectx.Acquire(&d.ending)
	x.back()
}

// raceGather makes base know all that the tasks know, those that are over and those that are left.
func (d *Stepper) raceGather() {
	for _, t := range d.live {
		if t.co != nil {
			t.co.raceTell(t.pool)
		}
	}
	for _, p := range d.pools {
		racectx.Acquire(&p.live)
	}
}

// raceTell releases what the task on co knows.
//
//go:norace
func (co *Coroutine) raceTell(p *Pool) {
	x := co.acts()
	racectx.ReleaseMerge(&p.live)
	x.back()
}

// raceForget makes the coroutines of the run that has ended ready for the next one.
func (d *Stepper) raceForget() {
	for i, co := range d.race.used {
		co.w.free = append(co.w.free, co)
		d.race.used[i] = nil
	}
	d.race.used = d.race.used[:0]
}
