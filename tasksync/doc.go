// Package tasksync has what tasks wait on: Mutex, RWMutex, Semaphore, Cond, WaitGroup and Once.
//
// They have the shapes of the standard library's types, and one difference: a task that waits parks, and its worker's thread goes on
// with other tasks, where a sync.Mutex would hold the thread and everything that has started on it. A lock may therefore be held over a
// yield, a wait or a section. Ordinary goroutines may use the same variables, and block as usual.
//
// Use package sync for what is held for nanoseconds and never over a wait, and tasksync for everything that a task may have
// to wait for.
//
// # Guaranteed
//
//   - Whoever waits is served in the order of arrival, where the type does not say otherwise: no one overtakes, and so no one starves.
//   - Waits that take a context end when it ends, with its cause, and have then taken nothing. An ended context fails without a wait.
//   - Waits that take none end the task by Goexit when a forced Shutdown of its pool ends them; what was waited for is not taken.
//   - Zero values work, except that a zero [Semaphore] has nothing to give. Nothing may be copied after first use; go vet finds copies.
//   - What one does before Unlock, Release, Signal or Done synchronizes before what the other does after its wait.
//
// # Today, but not guaranteed
//
//   - A wait does not allocate, unless its context can end.
//   - A lock that is free and for which nobody waits is taken with one atomic operation.
package tasksync
