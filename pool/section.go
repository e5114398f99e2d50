package pool

import (
	"context"
	"runtime"
	"runtime/debug"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
)

// Moves says whether sections of the task's queue are moved.
func (co *Coroutine) Moves() bool { return co.w.p.queues[co.Queue()].move }

// Inline runs f in place and counts it.
func (co *Coroutine) Inline(f func()) {
	if co.w.stepper != nil {
		co.stepInline(f)
		return
	}
	co.qs.inline.Add(1)
	l := label(co.label.Own())
	co.labelled(l.with(WhyInline))
	f()
	co.labelled(l) // a panic of f ends the task or is recovered by it, and then the mark is only stale
}

// Move runs f on the overflow pool while the worker goes on with other tasks, and
// returns nil when f has returned. A panic of f is raised again in the task, with the same
// value; Goexit in f ends the task. If ctx ends before f has begun, f is not called, and Move returns the
// cause. site is where the section stands.
func (co *Coroutine) Move(ctx context.Context, f func(), site uint32) error {
	if raceEnabled {
		co.stepMoves()
	} else {
		co.qs.moved.Add(1)
	}
	x := &Waiter{co: co}
	s := section{site: site}
	if ctx.Done() != nil {
		begun := new(atomic.Uint32) // set by the section or by the end of ctx; whoever is second stands back
		s.begun = begun
		defer co.afterFunc(ctx, func() {
			if begun.CompareAndSwap(0, 1) {
				x.end(context.Cause(ctx))
			}
		})()
	}
	var panicked, exited bool
	var value any
	var stack []byte
	o := co.w.p.overflow
	s.f = func() {
		g := gid.Get()
		o.enter(g, co)
		returned := false
		defer func() {
			if !returned {
				if value = recover(); value != nil {
					panicked, stack = true, debug.Stack()
				} else {
					exited = true
				}
			}
			o.leave(g)
			x.Wake()
		}()
		f()
		returned = true
	}
	o.start(s)
	x.WaitAlways(WhySection)
	switch {
	case panicked:
		if raceEnabled {
			co.stepSection(value, stack)
		} else {
			co.section = PanicError{Value: value, Stack: stack}
		}
		panic(value)
	case exited:
		runtime.Goexit()
	}
	return x.cause
}

// sectionStack returns the stack of the moved section that a panic came from, if v is
// that panic.
func (co *Coroutine) sectionStack(v any) (stack []byte) {
	defer func() { _ = recover() }() // v may not be comparable
	if raceEnabled && co.w.stepper.outside() {
		r := co.w.stepper.Enter()
		stack = co.sectionStack(v)
		r.Leave()
	} else if co.section.Stack != nil && co.section.Value == v {
		stack = co.section.Stack
	}
	return stack
}

// enter and leave note whose section runs on a goroutine.
func (o *overflow) enter(g uintptr, co *Coroutine) {
	if g == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.inside == nil {
		o.inside = map[uintptr]*Coroutine{}
	}
	o.inside[g] = co
}

func (o *overflow) leave(g uintptr) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.inside, g)
}

// sectionTask returns the task of the pool in whose moved section the calling goroutine is, nil
// if it is in none.
func (p *Pool) sectionTask() *Coroutine {
	o := p.overflow
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.inside[gid.Get()]
}

// Inside reports whether the caller is a task of the pool, or in a section of one that was moved. A pool that is
// closing takes new tasks from these alone, and has not ended until they have.
func (p *Pool) Inside() bool {
	if co := Current(); co != nil && (co.w.p == p || p.stepper == nil) {
		return co.w.p == p
	}
	return p.sectionTask() != nil // in a stepped pool, a task too may be in a section
}
