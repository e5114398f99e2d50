// Package lockstep is a worker pool that replaces goroutine-per-task.
//
// A pool is a fixed set of OS threads. Each runs the tasks of cooperative task queues,
// which own shares of the CPU. A task is a func; it may call [Yield] or [YieldIfNeeded] to
// give way, [Sleep] and Wait to wait without blocking the thread, and [BlockInPlace]
// around what blocks it.
//
// # Use
//
// In place of go statements, the default pool does:
//
//	lockstep.Go(func() { ... })
//
// To prefer one class of work over another, declare task queues:
//
//	p, err := lockstep.New(
//		lockstep.WithTaskQueue("requests", lockstep.WithShares(1000), lockstep.WithLatency(200*time.Microsecond)),
//		lockstep.WithTaskQueue("indexing", lockstep.WithShares(100)),
//	)
//	requests, indexing := p.TaskQueue("requests"), p.TaskQueue("indexing")
//	indexing.Go(index) // calls YieldIfNeeded in its loop
//	err = requests.Run(ctx, serve)
//
// What tasks wait for is in packages tasksync (locks, semaphores, conditions) and chans (channels, select): their waits park
// the task and leave the thread to others.
//
// [Spawn] returns a typed handle, a [Group] runs parts of one thing, [ForEach] and [Map] call a function for many items,
// [Keyed] keeps operations of a key in order, [TaskQueue.Context] makes
// everything below a context spawn into that queue.
//
// # Guaranteed
//
//   - An accepted task runs exactly once. The exceptions are those whose context ends first, if
//     they were spawned with one, and a [Pool.Shutdown] whose context ends.
//   - The call that spawns a task synchronizes before the task begins, and its end before
//     the return of a Wait for it. What a task does before it yields or waits
//     synchronizes before what it does after that.
//   - A panic in a task crashes the process with the task's own stack, as in a go
//     statement, unless the pool has a panic handler. [Pool.Run] is a call and panics in its
//     caller. runtime.Goexit ends the task alone.
//   - Among task queues with ready tasks on a worker, CPU time is proportional to shares, however
//     many tasks they have and however those yield, as long as tasks give way. A
//     queue that was idle comes back with neither credit nor debt.
//   - A task that only yields, or a circle of tasks that wake each other, keeps nobody from
//     running: each of them runs at most once in a tick, a round of the worker in which
//     every ready queue gets its due.
//   - A started task stays on its worker's thread, unless WithLockOSThread(false) is given.
//   - Waiting for a task or a group inside a task never deadlocks the pool.
//   - After Close has returned, no goroutine, thread or timer of the pool is left.
//   - Outside a task every call works: Yield is runtime.Gosched, YieldIfNeeded does nothing,
//     BlockInPlace calls its function, Sleep sleeps. A context of a task may be
//     used anywhere.
//
// # Today, but not guaranteed
//
//   - Tasks of a queue start on a worker in the order in which they arrived. Which worker gets
//     a task from outside depends on the goroutine that spawns it; idle workers steal.
//   - Shares hold per worker. Pool-wide they hold when every queue has ready tasks on every worker:
//     one task against a thousand, at equal shares on two workers, gets 25 % and not 50 %.
//   - A single ready task behind a long one is left for up to about a millisecond before a
//     sleeping worker is woken to fetch it.
//
// # What a task must not do
//
// It must not leave its thread locked: A TASK THAT CALLS runtime.LockOSThread AND YIELDS, WAITS OR
// ENDS BEFORE IT UNLOCKS KILLS THE PROCESS WITH A FATAL ERROR OF THE RUNTIME ("coro: OS thread
// locking must match locking at coroutine creation"), WHICH recover CANNOT CATCH. The same goes for
// a yield inside a callback from C, and for a task that calls runtime.UnlockOSThread without having locked, which takes the lock
// from its worker. Keep such code in a go statement.
//
// It may block natively, on channels, locks or I/O, but then its thread blocks, and with it
// the started tasks of that thread. A lock held across a yield is the usual way to a
// deadlock: the holder waits for its turn on a thread that blocks on the lock. The ways out are package tasksync, BlockInPlace
// and WithLockOSThread(false). Everything else on that worker is run by a helper meanwhile, after some milliseconds (docs/adr/0007).
//
// THE RACE DETECTOR DOES NOT SEE RACES BETWEEN TASKS OF ONE WORKER: each switch of coroutines is
// a synchronization for it. Test with several workers, and with WithLockOSThread(false).
//
// # Memory
//
// A task that waits for its turn takes 16 bytes beside its closure. A task that has yielded or
// waits holds a stack.
//
// # Where the ideas come from
//
// Shares and virtual runtime are those of Seastar and glommio; the detector
// follows glommio's pull request 431, which was not merged, with another definition
// (docs/adr/0002). BlockInPlace is tokio's block_in_place with the flag of the tentacle network
// library. Group has the methods of golang.org/x/sync/errgroup.
package lockstep
