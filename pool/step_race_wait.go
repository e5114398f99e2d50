package pool

import (
	"context"
	"time"

	"github.com/lockstep-go/lockstep/internal/racectx"
	"github.com/lockstep-go/lockstep/internal/stepping"
)

// What the engine does with things of a stepped task: in the task's name, if somebody looks for races.

// hasEnded reports whether the context that the task waits with has ended.
func (co *Coroutine) hasEnded(ctx context.Context) bool {
	if raceEnabled {
		x := co.acts()
		ended := ctx.Err() != nil
		x.back()
		return ended
	}
	return ctx.Err() != nil
}

// runs calls a function of the task's, and returns what that returns.
func (co *Coroutine) runs(f func() bool) bool {
	if raceEnabled {
		x := co.acts()
		done := f()
		x.back()
		return done
	}
	return f()
}

// passes asks the gate for the task.
func (co *Coroutine) passes(g stepping.Gate) bool {
	if raceEnabled {
		return co.runs(g.Free)
	}
	return g.Free() // without a function of it, which would be allocated
}

// ends calls what ends the task's wait with a context.
func (co *Coroutine) ends(f func()) {
	if raceEnabled {
		x := co.acts()
		f()
		x.back()
		return
	}
	f()
}

// timeUp ends the wait x of the task.
func (co *Coroutine) timeUp(x *Waiter) {
	by := co.acts()
	x.end(ErrTimeUp)
	by.back()
}

// stepAfter is afterFunc of a stepped task.
func (co *Coroutine) stepAfter(ctx context.Context, f func()) (stop func()) {
	by := co.w.stepper.Enter()
	co.step.ctx, co.step.ended = ctx, f
	by.Leave()
	return co.stepAfterNone
}

func (co *Coroutine) stepAfterNone() {
	by := co.w.stepper.Enter()
	co.step.ctx, co.step.ended = nil, nil
	by.Leave()
}

// polls sets what the stepper asks at each step, whether the task's wait is over.
func (co *Coroutine) polls(f func() bool) {
	if raceEnabled {
		r := co.w.stepper.Enter()
		co.step.poll = f
		r.Leave()
		return
	}
	co.step.poll = f
}

// admitNow is admit, called in a task's name.
func (d *Stepper) admitNow() {
	if raceEnabled {
		r := d.Enter()
		d.admit()
		r.Leave()
		return
	}
	d.admit()
}

// stepPark is park of a stepped task.
func (co *Coroutine) stepPark(x *Waiter, why Why) {
	r := co.w.stepper.Enter()
	co.park(x, why)
	r.Leave()
	racectx.Acquire(&co.wait)
}

// stepUnpark is unpark of a stepped task, by a task or by the engine for one.
func (co *Coroutine) stepUnpark(c *Coroutine) (crossed bool) {
	d := co.w.stepper
	r := d.Enter()
	d.race.waking = true
	crossed = co.unpark(c, false)
	d.race.waking = false
	r.Leave()
	return crossed
}

// stepParkFor is ParkFor of a stepped task: the timer is the engine's.
func (x *Waiter) stepParkFor(ctx context.Context, d time.Duration, why Why) error {
	t := x.co.stepArm(x, d)
	err := x.Park(ctx, why)
	x.co.stepDisarm(t)
	return err
}

func (co *Coroutine) stepArm(x *Waiter, d time.Duration) *timer {
	r := co.w.stepper.Enter()
	t := &timer{fire: func() { co.timeUp(x) }}
	co.w.arm(t, co.w.in(d))
	r.Leave()
	return t
}

func (co *Coroutine) stepDisarm(t *timer) {
	r := co.w.stepper.Enter()
	co.w.disarm(t, co.w)
	r.Leave()
}

// stepMoves counts a section that is moved.
func (co *Coroutine) stepMoves() {
	r := co.w.stepper.Enter()
	co.qs.moved.Add(1)
	r.Leave()
}

// stepSection keeps the panic of one.
func (co *Coroutine) stepSection(value any, stack []byte) {
	r := co.w.stepper.Enter()
	co.section = PanicError{Value: value, Stack: stack}
	r.Leave()
}
