package pool

import (
	"time"

	"github.com/lockstep-go/lockstep/internal/threadcpu"
)

// watch is what the monitor knows of a worker.
type watch struct {
	progress uint64 // what it had done
	since    int64  // when it was first seen to have done that
	from     int64  // its thread's CPU time then
	cpu      int64  // its thread's CPU time when it was last looked at
	looked   int64  // and when that was
	rounds   int    // of the monitor, since
	asleep   int    // the last of them, in a row, in which the thread slept and used no CPU

	stalled bool          // it is held
	helped  bool          // a helper was put on duty for it
	told    bool          // that there was no helper
	bounded bool          // that it computes and no P is spare
	label   label         // of the task that stalled
	noted   time.Duration // how much of the stall was counted, 0 if it was not yet, nor reported
}

// verdict is why a worker makes no progress.
type verdict uint8

const (
	undecided verdict = iota // it computes, for less than the threshold; or waits for a P or a processor
	blocks
	computes
)

// quickStall is the threshold for a task that blocks while there is something behind it. Tasks that block one
// another need a thread each, and code that was written for goroutines waits for them with time-outs
// of its own.
const quickStall = time.Millisecond

// A worker that makes no progress is not taken to wait for a P any more after crowdedRounds of the monitor, which waits for one itself,
// and crowdedFor times the stall threshold, that is as many slices of Go's scheduler.
const (
	crowdedRounds = 3
	crowdedFor    = 4
)

// watch looks at one worker, and puts a helper on duty for it if a task holds it.
func (m *monitor) watch(w *worker, now int64) {
	x := &w.watch
	progress := w.entries() + w.clock.Load()
	// A thread that is between tasks is not held: it is starting, or waits for a P. Without this, helpers that
	// have not had a P yet count as held and call for more helpers.
	if progress != x.progress || w.state.Load() == stateParked || !w.inTask() {
		if x.stalled {
			m.p.letGo(w)
		}
		*x = watch{progress: progress, since: now, looked: now}
		x.cpu, _ = threadcpu.Time(w.thread.Get())
		x.from = x.cpu
		// A worker with short tasks reads the clock more often than every quickStall.
		read := int64(w.clock.Load())
		if !w.inTask() || w.state.Load() == stateParked || now-read < int64(quickStall) {
			return
		}
		m.lookIn(monitorFast)
		if len(*m.p.heldWorkers.Load()) == 0 {
			return
		}
		x.since = read // tasks that block on one another come in chains, and each would take a round to see and one to be sure
	}
	x.rounds++
	held := time.Duration(now - x.since)
	why, known := m.judge(w, now, held)
	switch {
	case why == undecided:
		m.lookIn(monitorFast)
		return
	case why == blocks && held < m.blockedFor(w):
		m.lookIn(monitorFast)
		return
	}
	x.stalled = true
	if busy := why == computes; w.computes.Swap(busy) && !busy {
		// A helper may have left tasks alone because of this, and not have set an alarm any more.
		m.p.callHelpers()
	}
	if !x.helped {
		m.help(w, why)
	}
	if held < m.p.cfg.StallThreshold {
		m.lookIn(monitorFast) // what its helper does may block as well
		return
	}
	if x.noted == 0 {
		x.label = label(w.running.Load())
		m.p.stalls.Inc()
		m.report(w, held, why == computes && known, known)
	}
	m.p.worst.goesOn(x.label, x.noted, held)
	x.noted = held
}

// lookIn asks for the next round in d.
func (m *monitor) lookIn(d time.Duration) {
	m.soon = min(m.soon, max(d, time.Microsecond+min(monitorFast, m.p.cfg.StallThreshold/4)))
}

// judge finds out why a worker makes no progress. known is false if it has no thread with a clock of its own.
//
// A task computes if its thread has used the threshold's worth of CPU time in it: a short task on a thread that waits for a processor,
// because other programs have them, holds up what is behind it too, but one more thread that waits would not help. It blocks if its thread
// sleeps. A thread sleeps as well while its goroutine waits for a P. But then there are runnable goroutines, and the runtime knows
// how many (crowded); a worker that sleeps all the same through several slices of Go's scheduler blocks.
//
// A floating worker has no thread to ask. If nobody waits for a P, and threads probably not for a processor, it is taken to
// block, otherwise, after as many slices, to compute.
func (m *monitor) judge(w *worker, now int64, held time.Duration) (why verdict, known bool) {
	x, threshold := &w.watch, m.p.cfg.StallThreshold
	cpu, known := threadcpu.Time(w.thread.Get())
	switch {
	case !known && !m.crowded && !m.late:
		return blocks, false
	case !known && x.rounds >= crowdedRounds && held >= crowdedFor*threshold:
		return computes, false
	case !known:
		return undecided, false
	}
	used, of := cpu-x.cpu, now-x.looked
	x.cpu, x.looked = cpu, now
	runs, ok := threadcpu.Runnable(w.thread.Get())
	sleeps := ok && !runs || !ok && used <= of/2
	if x.asleep++; !sleeps || used > int64(asleepUses) {
		x.asleep = 0
	}
	switch {
	case sleeps && (!m.crowded || x.asleep >= crowdedRounds && held >= crowdedFor*threshold):
		return blocks, true
	case time.Duration(cpu-x.from) >= threshold:
		return computes, true
	}
	return undecided, true
}

// asleepUses is the CPU time that a thread may have used in a round through which it slept: the way to sleep.
const asleepUses = 50 * time.Microsecond

// blockedFor is how long a task must have blocked for that to be a stall.
func (m *monitor) blockedFor(w *worker) time.Duration {
	threshold := m.p.cfg.StallThreshold
	if !m.crowded && w.behind(m.p.now()) {
		return min(threshold, quickStall)
	}
	return threshold
}

// behind reports whether something waits for the worker that a helper could do. For a helper on duty that is what
// waits for those it looks after.
func (w *worker) behind(now int64) bool {
	if w.onDuty.Load() {
		for _, v := range *w.p.heldWorkers.Load() {
			if v != w && v.leavesWork(now) {
				return true
			}
		}
	}
	return w.leavesWork(now)
}

func (w *worker) leavesWork(now int64) bool {
	due := int64(w.timersDue.Load())
	return w.backlog.Load()+w.inbox.n.Load()+w.inbox.woken.Load() > 0 || w.floating && w.started.Load() > 0 || due != 0 && due <= now
}

// help puts a helper on duty for a worker that has none.
func (m *monitor) help(w *worker, why verdict) {
	x := &w.watch
	switch m.p.hold(w, why == computes) {
	case helpGiven:
		x.helped = true
	case helpBounded:
		m.unhelped = true
		if !x.bounded {
			x.bounded = true
			m.p.bounded.Inc()
		}
	case helpDenied:
		m.unhelped = true
		if !x.told {
			x.told = true
			m.bound()
		}
	}
}
