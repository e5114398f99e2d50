package pool

import (
	"log/slog"
	"time"
)

// Stats are the totals of a pool since it was made. Reading them changes nothing.
//
// Each figure only grows, except Shares, Queued and those of Overflow that say what is
// now. A figure is exact when the pool is at rest. While workers run, figures are
// read one after another, and those of time are as of the last end of a visit.
type Stats struct {
	// Queues are the task queues in the order of declaration, "default" first.
	Queues []QueueStats
	// Workers are the workers that exist now.
	Workers []WorkerStats
	// Overflow is the pool that runs moved sections.
	Overflow OverflowStats
	// Rescue tells of workers held by their tasks.
	Rescue RescueStats
}

// RescueStats tell of workers held by a task that blocks or computes, and of the helpers that
// ran what was behind it.
type RescueStats struct {
	Stalls  uint64 // tasks that held their worker for longer than the threshold
	Rescues uint64 // times a helper was assigned to a worker
	Tasks   uint64 // tasks that helpers took over before they had started
	Denied  uint64 // times a worker was found held and all helpers were in use
	Bounded uint64 // times a worker was found held by a task that computes, and had to share a helper because no P is spare
	Helpers int    // helper threads that exist now

	// Worst are the ten places in the code whose tasks have held workers for the longest time together, by where they were spawned, the
	// worst first.
	Worst []StallSite
}

// QueueStats are the totals of a task queue, over all workers or for one.
type QueueStats struct {
	Name   string // of the task queue
	Shares int    // its weight now

	// RunTime is how long the queue's visits took, in wall time of its workers: the time
	// that shares are about. Sections on the overflow pool do not count.
	RunTime time.Duration
	// WaitTime is the sum over all turns of tasks of the time from being ready to
	// running, in steps of a microsecond, seen by clocks that are read at visit ends.
	WaitTime time.Duration

	Started   uint64 // tasks begun
	Finished  uint64 // tasks ended in any way
	Panicked  uint64 // of those, ended by a panic that the panic handler got
	Exited    uint64 // of those, ended by runtime.Goexit
	Cancelled uint64 // tasks that a forced shutdown dropped before they began

	Resumed         uint64 // turns of tasks that had yielded or waited
	YieldsVoluntary uint64 // calls of Yield that gave way
	YieldsForced    uint64 // calls of YieldIfNeeded that gave way
	YieldsAlone     uint64 // calls of Yield that found nothing else to run
	SetAside        uint64 // times a reentrant task was set aside until the next tick
	Visits          uint64 // turns of the queue

	SectionsInline uint64 // BlockInPlace sections run in place
	SectionsMoved  uint64 // and on the overflow pool

	// Queued is how many tasks were ready at the end of the last visit.
	Queued int
}

// WorkerStats are the totals of one worker.
type WorkerStats struct {
	ID     int          // counts from 0, in the order in which they were started
	Helper bool         // a helper, see RescueStats
	Queues []QueueStats // the worker's part of each queue

	RunTime     time.Duration // of all queues
	Ticks       uint64        // rounds of the scheduler
	Parks       uint64        // times it went to sleep
	Steals      uint64        // times it got tasks from another worker
	TasksStolen uint64        // and how many
	Lends       uint64        // times it lent its P to goroutines that are no tasks, see WithSpareProcs
	Queued      int           // tasks ready now, or waiting in its inbox
}

// OverflowStats describe the pool that runs moved sections.
type OverflowStats struct {
	Limit     int    // sections that may run at once
	Running   int    // sections running now
	Queued    int    // sections waiting for a place now
	Sections  uint64 // sections begun or waiting since the pool was made
	Waited    uint64 // of those, how many found all places taken
	Cancelled uint64 // sections whose context ended before they had a place
	Short     uint64 // sections that took less than 30 µs, for which moving cost more than it saved

	RunTime  time.Duration // of all sections
	WaitTime time.Duration // from the call of BlockInPlace to the section's begin
}

// LogValue makes Stats readable in a log line: the queues' main figures.
func (s Stats) LogValue() slog.Value {
	attrs := make([]slog.Attr, 0, len(s.Queues)+1)
	for _, q := range s.Queues {
		attrs = append(attrs, slog.Group(q.Name,
			"run", q.RunTime, "wait", q.WaitTime, "started", q.Started, "finished", q.Finished, "queued", q.Queued))
	}
	attrs = append(attrs, slog.Int("workers", len(s.Workers)))
	return slog.GroupValue(attrs...)
}
