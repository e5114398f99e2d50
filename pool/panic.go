package pool

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// PanicError is a panic of a task, with the stack of the task at the panic.
type PanicError struct {
	Value any    // what the task panicked with
	Stack []byte // of the task, at the panic
}

// Error returns the value and the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in a task: %s\n\n%s", panicText(e.Value), e.Stack)
}

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Panicked deals with a panic of a task. It must be called by the deferred function that
// recovered v, while the frames of the panic are still on the stack. Without a panic
// handler it crashes the process and does not return.
func (p *Pool) Panicked(v any) *PanicError {
	stack := debug.Stack()
	if co := Current(); co != nil {
		if s := co.sectionStack(v); s != nil {
			stack = fmt.Appendf(stack, "\nraised in a section that BlockInPlace moved:\n%s", s)
		}
	}
	e := &PanicError{Value: v, Stack: stack}
	if p.cfg.PanicHandler == nil {
		if p.stepper == nil {
			crash(e)
		}
		p.stepper.panicked(e)
		return e
	}
	defer func() {
		if v := recover(); v != nil {
			crash(&PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	p.cfg.PanicHandler(e)
	if co := Current(); co != nil {
		co.panicked() // here, and not where the task ends, because a handle's task ends normally
	}
	return e
}

// panicked counts a panic of the task.
func (co *Coroutine) panicked() {
	if raceEnabled && co.w.stepper.outside() {
		r := co.w.stepper.Enter()
		co.panicked()
		r.Leave()
		return
	}
	co.qs.panicked.Add(1)
}

// crash ends the process as an unrecovered panic does. A panic in a
// coroutine would be recovered by iter.Pull and come out on another stack, so a fresh
// goroutine panics, with the task's stack in the text, while this one keeps its frames
// for a core dump or GOTRACEBACK=all.
func crash(e *PanicError) {
	go panic(crashError{e})
	select {}
}

type crashError struct{ e *PanicError }

func (c crashError) Error() string {
	return fmt.Sprintf("%s\n\n%s", panicText(c.e.Value), c.e.Stack)
}

// panicText formats a panic's value much as the runtime does.
func panicText(v any) string {
	switch v := v.(type) {
	case runtime.Error:
		return v.Error()
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case string:
		return v
	default:
		return fmt.Sprintf("%T(%v)", v, v)
	}
}
