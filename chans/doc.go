// Package chans holds channels for tasks: what waits in them is the task, and
// not its thread. Every operation may be used by tasks of any pool and by
// ordinary goroutines, which block natively, both ends in any mixture.
//
//   - [Chan] is a channel: bounded, unbounded, or without a buffer. It closes as Go's do.
//   - [Oneshot] hands over one value, once: the answer to a request.
//   - [Select] waits for the first of several operations, and for a time and a context.
//   - [ReceiveNative] and [SendNative] wait for native channels without blocking the thread
//     and without a goroutine for each wait.
//   - [SPSC] is the fastest: a ring with one producer and one consumer.
//
// # Contexts
//
// What may wait takes a context. If that has ended, or ends while the operation waits, the
// operation does nothing and returns [context.Cause]. In a task that a forced
// shutdown of its pool ends, it returns [lockstep.ErrShutdown]. Chan's Put and Get take none; there a
// forced shutdown ends the task by Goexit. They save the look at the context, 2 ns for
// context.Background and about 15 ns for the context that a task receives.
//
// # Nothing is lost
//
// A value is received exactly once, or its Send has returned an error, or it is still
// in the channel. A Receive that returns an error has taken none.
//
// [lockstep.ErrShutdown]: https://pkg.go.dev/github.com/lockstep-go/lockstep#ErrShutdown
package chans

import "errors"

// Errors of channels.
var (
	// ErrClosed says that the channel is closed: a Send was not accepted, or a Receive found
	// nothing left.
	ErrClosed = errors.New("lockstep: the channel is closed")
	// ErrNotReady says that TrySend or TryReceive would have to wait.
	ErrNotReady = errors.New("lockstep: the operation would have to wait")
)
