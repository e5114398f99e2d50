package pool

import (
	"time"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/queue"
)

// queueState is a task queue on one worker: its policy part and its counters. The
// worker's thread writes, anybody may read.
type queueState struct {
	id int
	q  *queue.Queue

	started, finished, panicked, exited, cancelled relaxed.Uint64
	resumed, wait                                  relaxed.Uint64
	yields, forced, alone                          relaxed.Uint64
	inline, moved                                  relaxed.Uint64

	runTime, visits, setAside, queued relaxed.Uint64 // published at the end of each visit
}

type workerCounts struct {
	parks, steals, stolen, ticks, lends relaxed.Uint64
}

// popped counts a task that is about to run, or to be dropped by a forced shutdown.
func (qs *queueState) popped(w *worker, t queue.Task) {
	if t.Site == queue.Started {
		qs.resumed.Add(1)
	}
	if t.Age != 0 {
		qs.wait.Add(uint64(w.age-t.Age) & (1<<32 - 1))
	}
}

// publish copies the policy's counters of the queue visited last. w.mu is held.
func (w *worker) publish() {
	w.stats.ticks.Store(w.sched.Tick())
	qs := w.visited
	if qs == nil {
		return
	}
	c := qs.q.Counts()
	qs.runTime.Store(c.RunTime)
	qs.visits.Store(c.Visits)
	qs.setAside.Store(c.SetAside)
	active, aside := qs.q.Len()
	qs.queued.Store(uint64(active + aside))
}

// entries is how many tasks the worker has begun or resumed. The monitor compares.
func (w *worker) entries() uint64 {
	n := uint64(0)
	for _, qs := range w.queues {
		n += qs.started.Load() + qs.resumed.Load()
	}
	return n
}

func (qs *queueState) read(p *Pool) QueueStats {
	return QueueStats{
		Name:            p.queues[qs.id].name,
		Shares:          int(p.queues[qs.id].shares.Load()),
		RunTime:         time.Duration(qs.runTime.Load()),
		WaitTime:        time.Duration(qs.wait.Load() << 10),
		Finished:        qs.finished.Load(), // before started, so that it is never more
		Started:         qs.started.Load(),
		Panicked:        qs.panicked.Load(),
		Exited:          qs.exited.Load(),
		Cancelled:       qs.cancelled.Load(),
		Resumed:         qs.resumed.Load(),
		YieldsVoluntary: qs.yields.Load(),
		YieldsForced:    qs.forced.Load(),
		YieldsAlone:     qs.alone.Load(),
		SetAside:        qs.setAside.Load(),
		Visits:          qs.visits.Load(),
		SectionsInline:  qs.inline.Load(),
		SectionsMoved:   qs.moved.Load(),
		Queued:          int(qs.queued.Load()),
	}
}

// Add adds the totals of o.
func (s *QueueStats) Add(o QueueStats) {
	s.RunTime += o.RunTime
	s.WaitTime += o.WaitTime
	s.Started += o.Started
	s.Finished += o.Finished
	s.Panicked += o.Panicked
	s.Exited += o.Exited
	s.Cancelled += o.Cancelled
	s.Resumed += o.Resumed
	s.YieldsVoluntary += o.YieldsVoluntary
	s.YieldsForced += o.YieldsForced
	s.YieldsAlone += o.YieldsAlone
	s.SetAside += o.SetAside
	s.Visits += o.Visits
	s.SectionsInline += o.SectionsInline
	s.SectionsMoved += o.SectionsMoved
	s.Queued += o.Queued
}

func (w *worker) read() WorkerStats {
	s := WorkerStats{
		ID: w.id, Helper: w.isHelper, Ticks: w.stats.ticks.Load(), Parks: w.stats.parks.Load(),
		Steals: w.stats.steals.Load(), TasksStolen: w.stats.stolen.Load(), Lends: w.stats.lends.Load(),
		Queued: int(w.backlog.Load() + w.inbox.n.Load()),
	}
	for _, qs := range w.queues {
		q := qs.read(w.p)
		s.RunTime += q.RunTime
		s.Queues = append(s.Queues, q)
	}
	return s
}

// Stats returns the totals since the pool was made, workers that have ended
// included in those of the queues.
func (p *Pool) Stats() Stats {
	s := Stats{Overflow: p.overflow.read()}
	s.Rescue = RescueStats{
		Stalls: p.stalls.Load(), Rescues: p.rescues.Load(), Tasks: p.rescued.Load(), Denied: p.denied.Load(),
		Bounded: p.bounded.Load(), Worst: p.worst.told(),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, q := range p.queues {
		s.Queues = append(s.Queues, QueueStats{Name: q.name, Shares: int(q.shares.Load())})
		s.Queues[i].Add(p.retired[i])
	}
	for _, w := range *p.everyone.Load() {
		ws := w.read()
		if ws.Helper {
			s.Rescue.Helpers++
		}
		for i := range s.Queues {
			s.Queues[i].Add(ws.Queues[i])
		}
		s.Workers = append(s.Workers, ws)
	}
	return s
}
