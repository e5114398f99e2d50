package pool

import (
	"log/slog"
	"time"
)

// Config is what a pool is made from. The root package checks it.
type Config struct {
	// Workers is the number of workers, 0 for GOMAXPROCS, followed as it changes.
	Workers int
	// Queues are the task queues; number 0 is the default one.
	Queues []QueueConfig
	// Quantum is how long a queue runs before it should give way.
	Quantum time.Duration
	// Floating makes workers ordinary goroutines.
	Floating bool
	// ThreadInit, if not nil, is called on each worker's thread before its first
	// task; what it returns, if not nil, when the worker ends.
	ThreadInit func(worker int) (cleanup func())
	// PanicHandler, if not nil, gets the panics of tasks, which otherwise crash the
	// process.
	PanicHandler func(*PanicError)
	// Logger gets rare events. It is not nil.
	Logger *slog.Logger
	// Overflow is how many sections moved by BlockInPlace run at once.
	Overflow int
	// Capacity bounds the tasks accepted and not started; 0 is unbounded.
	Capacity int
	// SpareProcs is by how much GOMAXPROCS is raised while the pool lives.
	SpareProcs int
	// StallThreshold is how long a task may hold its worker before that counts as a stall.
	StallThreshold time.Duration
	// StallHandler, if not nil, gets reports of stalls.
	StallHandler func(StallReport)
	// Helpers bounds the threads that stand in for stalled workers.
	Helpers int
	// Quiet says that Logger discards everything.
	Quiet bool
}

// Reports says whether anybody listens to reports, which cost something to make.
func (c *Config) Reports() bool { return !c.Quiet || c.StallHandler != nil }

// QueueConfig is one task queue of a Config.
type QueueConfig struct {
	Name    string        // unique in the pool
	Shares  int           // its weight
	Latency time.Duration // its latency goal, 0 for none
	// Move moves BlockInPlace sections to the overflow pool.
	Move bool
}

// Grace is how long a task that a forced shutdown has ended may go on waiting in its
// deferred calls before it is ended again, and how long Shutdown waits for such tasks.
const Grace = time.Second

// DefaultQuantum is a compromise: Seastar uses 0.5 ms, Go's scheduler 10 ms.
const DefaultQuantum = time.Millisecond
