package pool

import "github.com/lockstep-go/lockstep/queue"

// # Protocol: tasks for one worker
//
// A task with the mark queue.Pinned runs on the worker that it is given to: thieves and helpers leave it where
// it is. Everything else is that of the inbox, so no wake is lost; only who may give a task, and when, is more.
//
//	worker is              a task from outside        a task from a task, or one's moved section
//	active                 inbox                      inbox; its own worker's: the run queue
//	active, pool closing   refused                    inbox: the giver's worker is not parked, or waits for the section,
//	                                                  so the look that ends the pool fails or comes after the append
//	leaving                refused                    refused: nothing keeps the worker from ending between
//	                                                  its look at the inbox and the append
//	leaving, kept          inbox                      inbox
//
// Kept is what the giver vouches for: a started task is on the worker that does not end before the giver allows it. A
// worker ends, leaving or not, only without started tasks, so it will look into its inbox once more.
//
// closing is set under Pool.mu, under which resize works, and no worker leaves after that. So who sees closing sees
// leaving too.

// Place is a worker, as where tasks are to run. It stays valid when the worker has ended.
type Place struct{ w *worker }

// Places returns the workers that take new tasks.
func (p *Pool) Places() []Place {
	all := *p.active.Load()
	places := make([]Place, len(all))
	for i, w := range all {
		places[i] = Place{w}
	}
	return places
}

// Leaving reports whether the worker is one too many and takes no new tasks.
func (at Place) Leaving() bool { return at.w.leaving.Load() }

// Sleeper returns a worker that sleeps and takes new tasks, if there is one.
func (p *Pool) Sleeper() (at Place, ok bool) {
	if p.parked.Load() <= 0 {
		return Place{}, false
	}
	for _, w := range *p.active.Load() {
		if w.state.Load() == stateParked {
			return Place{w}, true
		}
	}
	return Place{}, false
}

// Place returns the worker that the task, which is the caller, is on.
func (co *Coroutine) Place() Place { return Place{co.w} }

// Floating reports whether started tasks may move between the workers.
func (p *Pool) Floating() bool { return p.cfg.Floating }

// Closed reports whether the pool takes no new tasks from the caller.
func (p *Pool) Closed() bool { return p.closing.Load() && !p.Inside() }

// SpawnAt is Spawn on one worker. False means that the worker takes no new tasks: it is leaving, unless kept is set,
// or the pool is closed. With the mark queue.Pinned in site the task stays there, without it may be stolen.
func (q *Queue) SpawnAt(at Place, f func(), site uint32, kept bool) bool {
	if q.p.stepper != nil {
		return q.p.stepper.spawn(q, at.w, f, site, kept)
	}
	return q.spawnAt(at.w, f, site, kept)
}

func (q *Queue) spawnAt(w *worker, f func(), site uint32, kept bool) bool {
	t := queue.Task{Fn: f, Site: site}
	if co := Current(); co != nil && co.w == w {
		t.Age = w.age
		w.mu.Enter()
		w.sched.Push(w.queues[q.id].q, t)
		w.backlog.Store(uint64(w.sched.Len()))
		w.mu.Exit()
		w.checkPreempt()
		return true
	}
	if w.state.Load() == stateRunning {
		t.Age = age(int64(w.clock.Load()))
	}
	if w.inject(q.id, t, kept) {
		return true
	}
	return q.p.closing.Load() && !w.leaving.Load() && q.p.Inside() && w.inject(q.id, t, true)
}
