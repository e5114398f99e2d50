package pool

import (
	"runtime"
	"runtime/debug"
)

// Moves says whether sections of the task's queue are moved.
func (co *Coroutine) Moves() bool { return co.w.p.queues[co.qs.id].move }

// Inline runs f in place and counts it.
func (co *Coroutine) Inline(f func()) {
	co.qs.inline.Add(1)
	l := label(co.label.Own())
	co.labelled(l.with(WhyInline))
	f()
	co.labelled(l) // a panic of f ends the task or is recovered by it, and then the mark is only stale
}

// Move runs f on the overflow pool while the worker goes on with other tasks, and
// returns when f has returned. A panic of f is raised again in the task, with the same
// value; Goexit in f ends the task.
func (co *Coroutine) Move(f func()) {
	co.qs.moved.Add(1)
	x := &Waiter{co: co}
	var panicked, exited bool
	var value any
	var stack []byte
	co.w.p.overflow.start(func() {
		returned := false
		defer func() {
			if !returned {
				if value = recover(); value != nil {
					panicked, stack = true, debug.Stack()
				} else {
					exited = true
				}
			}
			x.Wake()
		}()
		f()
		returned = true
	})
	x.WaitAlways(WhySection)
	switch {
	case panicked:
		co.section = PanicError{Value: value, Stack: stack}
		panic(value)
	case exited:
		runtime.Goexit()
	}
}

// sectionStack returns the stack of the moved section that a panic came from, if v is
// that panic.
func (co *Coroutine) sectionStack(v any) (stack []byte) {
	defer func() { _ = recover() }() // v may not be comparable
	if co.section.Stack != nil && co.section.Value == v {
		stack = co.section.Stack
	}
	return stack
}
