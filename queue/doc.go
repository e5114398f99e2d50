// Package queue is the policy of a worker: which task runs next.
//
// It holds the run queues of one worker, their shares and virtual runtimes,
// the tick, and the detector for reentrant tasks. It is a plain,
// single-threaded data structure: no goroutine, no lock, no clock of its own
// (the caller says what time it is), so that a test can step it and a model can
// check it. Package pool drives it.
//
// # The rule
//
// A visit is one turn of a task queue. Among the active queues, those
// with a task ready, the one with the least virtual runtime is visited
// next; its tasks run first in, first out until none is left or the quantum
// has passed. At the end of the visit the queue is charged the time of the
// visit divided by its shares. A tick is one round of visits.
//
// A task that is made ready from inside its own worker in the tick in which it
// has already run is reentrant: it is set aside until the next tick, unless
// it was preempted. So whatever a circle of tasks does among itself, each of
// them runs at most once in a tick. A queue that holds only set-aside tasks is
// not visited again in that tick. The tick advances when no queue is
// active, when a quantum has passed since it began, or when a queue with
// only set-aside tasks is the one with the least virtual runtime.
//
// A visit that held a voluntary yield is charged at least [Floor], so that
// a task that only yields cannot be the poorest for ever.
//
// The idea of setting reentrant tasks aside is that of glommio's pull
// request 431 (HippoBaro), the maximum rule for a queue that was idle is
// Seastar's; docs/adr/0002 tells where and why this differs from both.
//
// This package is mechanism of lockstep without a promise of compatibility.
package queue
