// Package pool is the mechanism of lockstep: threads, coroutines, injection,
// stealing, parking, timers, the overflow pool and shutdown.
//
// It drives the policy of package queue and is driven by the root package.
// A reader may start at
//
//	pool.go       what New starts and Shutdown ends
//	worker.go     one thread: the scheduler loop
//	coroutine.go  the stacks that tasks run on, and how they change places
//	task.go       what a running task can do: yield, park, sleep
//	inbox.go      work from other threads, and the park/wake protocol
//	steal.go      how an idle worker gets work
//	rescue.go     who runs what is behind a task that blocks or computes
//	move.go       how floating workers hand on started tasks
//	shutdown.go   how all of it ends
//
// The package is mechanism without a promise of compatibility: use the root
// package.
package pool
