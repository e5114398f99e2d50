package lockstep

import "github.com/lockstep-go/lockstep/pool"

// Errors that calls return, or that a task's handle returns for it. Compare with
// errors.Is.
var (
	// ErrClosed: the pool was closed before the task was accepted.
	ErrClosed = pool.ErrClosed
	// ErrGoexit: the task ended by runtime.Goexit, which t.FailNow and t.Fatal call
	// too, so it has no result.
	ErrGoexit = pool.ErrGoexit
	// ErrShutdown: the context of [Pool.Shutdown] ended first, and the task was
	// cancelled. It is the cause of the task's context.
	ErrShutdown = pool.ErrShutdown
)

// StallReport describes a task that holds its worker. See [WithStallHandler].
type StallReport = pool.StallReport

// PanicError is a panic of a task, as a panic handler receives it: the value, and
// the stack of the task at the panic. See [WithPanicHandler]. If the value is an
// error, errors.Is and errors.As look into it.
type PanicError = pool.PanicError
