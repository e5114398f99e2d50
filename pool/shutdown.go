package pool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// # Protocol: shutdown
//
// open -> closing -> (killed ->) ended.
//
// closing: no new task comes from outside. Close sets closing and then closes every inbox
// under its lock; a task is accepted if it was appended before that. Tasks may still spawn
// children, and what tasks wait for may still wake them.
//
// ended: no task is left. Every worker that goes to sleep while the pool is
// closing, having stored state = parked, looks whether the pool has ended
// (tryEnd): all workers are parked, none has a started task, every inbox is empty.
// A parked worker has no task in a run queue (it sleeps only when there is none), and
// a thief that holds tasks is running. So nothing is left, if all of this
// holds at one moment. The looks at the workers come one after another; epoch, which
// grows before each attempt to end a worker's sleep, is the same before and after
// only if no worker left its sleep in between, and then what was seen of each held for
// all at the end of the look.
// The last worker to fall asleep looks after all the others' stores, so one of them
// sees the end.
//
// killed: the context of Shutdown has ended first. Each worker takes note when it
// attends, ends the waits of its parked tasks, starts no task any more (those with
// a handle run far enough to report that), and raises Goexit in tasks that wait or yield.

// Shutdown closes the pool. See the root package.
func (p *Pool) Shutdown(ctx context.Context) error {
	p.close()
	if p.stepper != nil {
		return p.stepper.shutdown(ctx, p)
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.kill()
		if !p.doneWithin(notice) && (!p.ending() || !p.doneWithin(Grace)) {
			if err := p.left(ctx); err != nil {
				return err
			}
		}
	}
	p.finish()
	return nil
}

// notice is how long a forced shutdown gives running tasks to yield or wait, and so to
// be ended.
const notice = 10 * time.Millisecond

// doneWithin waits until no task is left.
func (p *Pool) doneWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
		return false
	}
}

// ending reports whether tasks are on their way out: on workers that have taken note of the kill, or
// have not had the processor to do so. A worker that has not taken note and is in a task is held by it.
func (p *Pool) ending() bool {
	for _, w := range *p.everyone.Load() {
		switch noted := w.noted.Load() != 0; {
		case !noted && !w.inTask(), noted && (w.started.Load() > 0 || w.state.Load() != stateParked):
			return true
		}
	}
	return false
}

// inTask reports whether one of the worker's tasks runs, as opposed to waits.
func (w *worker) inTask() bool { return w.running.Load() != 0 }

// Killed reports whether tasks are being ended.
func (p *Pool) Killed() bool { return p.killed.Load() }

func (p *Pool) close() {
	by := p.stepper.EnterTold()
	p.closeNow()
	by.LeaveTold(p.stepper)
}

func (p *Pool) closeNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closing.CompareAndSwap(false, true) {
		return
	}
	for _, w := range *p.everyone.Load() {
		w.inbox.close()
	}
	if p.capacity != nil {
		p.capacity.close()
	}
	p.signalAll(attentionShutdown)
}

func (p *Pool) kill() {
	by := p.stepper.EnterTold()
	p.killed.Store(true)
	p.cancelTasks()
	p.signalAll(attentionShutdown)
	by.LeaveTold(p.stepper)
}

// tryEnd ends the pool if no task is left.
func (p *Pool) tryEnd() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended.Load() {
		return
	}
	epoch := p.epoch.Load()
	for _, w := range *p.everyone.Load() {
		w.inner()
		if w.state.Load() != stateParked || w.started.Load() > 0 || !w.inbox.empty() {
			return
		}
	}
	if p.epoch.Load() != epoch {
		return
	}
	p.ended.Store(true)
	close(p.done)
	p.signalAll(attentionShutdown)
}

func (in *inbox) empty() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.n.Own() == 0 && in.wakes == nil
}

// finish waits until workers, monitor and overflow pool are gone. Any number of
// callers may come.
func (p *Pool) finish() {
	p.closeOnce.Do(func() {
		close(p.stop)
		p.workers.Wait()
		p.helpers.Wait()
		p.overflow.release()
		if p.cfg.SpareProcs > 0 {
			spare.release(p.cfg.SpareProcs)
		}
		close(p.closed)
	})
	<-p.closed
}

// attendShutdown takes note of the pool's and the worker's end.
func (w *worker) attendShutdown() {
	if w.p.killed.Load() {
		w.killing = true
		w.noted.Store(1)
		w.endWaits()
	}
	if w.p.ended.Load() && w.stepper == nil { // what is left of the timers stays on the stepper's clock
		w.exit = true
	}
}

// leaves reports whether the worker ends, having nothing to do.
func (w *worker) leaves() bool {
	if w.leaving.Load() && !w.exit && w.started.Load() == 0 && w.inbox.empty() {
		w.handOver() // leaving may have been set since the last look at the timers
		w.p.remove(w)
		w.exit = true
		if w.p.closing.Load() {
			w.p.tryEnd() // it will not park, and was perhaps the last that the others' looks found running
		}
	}
	return w.exit
}

// remove takes a worker that is one too many out of the pool. Its inbox has been
// closed, and what was in it has been run or stolen.
func (p *Pool) remove(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ws := w.read()
	for i := range p.retired {
		p.retired[i].Add(ws.Queues[i])
	}
	rest := without(*p.everyone.Load(), w)
	p.everyone.Store(&rest)
}

// without returns a copy of a published list of workers, which nobody changes, that lacks w.
func without(list []*worker, w *worker) []*worker {
	return slices.DeleteFunc(slices.Clone(list), func(v *worker) bool { return v == w })
}

// claims claims the wait x of the task for a forced shutdown.
func (co *Coroutine) claims(x *Waiter) bool {
	by := co.acts()
	claimed := x.Claim()
	if claimed {
		x.cause = ErrShutdown
	}
	by.back()
	return claimed
}

// endWaits ends the wait of every parked task that is to end, and comes back for those
// which wait again in their deferred calls.
func (w *worker) endWaits() {
	w.outside = true
	defer func() { w.outside = false }()
	// Under mu no coroutine can be moved away, so those in the list are this worker's, and their waits are claimed there: after
	// it, one that somebody else has woken may be another wait already. What is claimed here does not move before it is delivered.
	type wait struct {
		co *Coroutine
		x  *Waiter
	}
	var waits []wait
	w.mu.Enter()
	w.allMu.Lock()
	for _, co := range w.all {
		if x := co.waiter; co.wait == parked && x != nil && co.endsNow() && co.claims(x) {
			waits = append(waits, wait{co, x})
		}
	}
	w.allMu.Unlock()
	w.mu.Exit()
	for _, e := range waits {
		by := e.co.acts()
		e.x.Deliver()
		by.back()
	}
	w.mu.Enter()
	defer w.mu.Exit()
	if w.graceTimer.at == 0 {
		// A helper may fire it while the worker is held; the waits are the worker's own to end.
		w.graceTimer.fire = func() { w.signal(attentionShutdown) }
		w.timers.add(&w.graceTimer, w.p.now()+int64(Grace))
		w.noteTimers()
	}
}

// left names the tasks that a forced shutdown could not end; nil if there is
// none any more.
func (p *Pool) left(ctx context.Context) error {
	var b strings.Builder
	n, unstarted := 0, uint64(0)
	for _, w := range *p.everyone.Load() {
		unstarted += w.backlog.Load() + w.inbox.n.Load()
		for _, line := range w.left() {
			n++
			if n <= reportMost {
				b.WriteString("\n\t" + line)
			}
		}
	}
	select {
	case <-p.done:
		return nil
	default:
	}
	if n > reportMost {
		fmt.Fprintf(&b, "\n\t... and %d more", n-reportMost)
	}
	if unstarted > 0 {
		fmt.Fprintf(&b, "\n\tand %d tasks that are ready and will not be started", unstarted)
	}
	return fmt.Errorf("lockstep: Shutdown gave up with %d tasks left, which block or loop without yielding (%w):%s",
		n, context.Cause(ctx), b.String())
}

// reportMost bounds the tasks that an error names.
const reportMost = 20
