package lockstep

import "github.com/lockstep-go/lockstep/pool"

// What a pool counts. The fields are documented with the types.
type (
	// Stats are the totals of a pool since it was made.
	Stats = pool.Stats
	// QueueStats are the totals of a task queue, over all workers or for one.
	QueueStats = pool.QueueStats
	// WorkerStats are the totals of one worker.
	WorkerStats = pool.WorkerStats
	// OverflowStats describe the pool that runs moved sections.
	OverflowStats = pool.OverflowStats
	// RescueStats tell of workers held by a task that blocks or computes.
	RescueStats = pool.RescueStats
	// StallSite tells of the stalls of the tasks that were spawned at one place in the code.
	StallSite = pool.StallSite
)

// Stats returns the pool's totals. It is safe for concurrent use and does not
// disturb the workers.
func (p *Pool) Stats() Stats { return p.p.Stats() }

// Stats returns the queue's totals over all workers.
func (q *TaskQueue) Stats() QueueStats { return q.p.Stats().Queues[q.q.ID()] }
