package pool

import (
	"bytes"
	"fmt"
	"runtime"
	"time"

	"github.com/lockstep-go/lockstep/internal/threadcpu"
)

// StallReport describes a task that holds its worker.
type StallReport struct {
	// Worker is the number of the worker.
	Worker int
	// Queue is the name of the task's queue, and Site where the task was spawned, file:line.
	Queue, Site string
	// For is how long the task has held the worker.
	For time.Duration
	// Busy says that the thread used the CPU in that time, as opposed to having blocked. Where
	// threads have no clocks of their own (see Known) it is false.
	Busy, Known bool
	// Section says that the task is in a BlockInPlace section that runs in place.
	Section bool
	// Stack is the task's stack, if it could be found.
	Stack []byte
	// Stranded are the tasks that have started on this thread and cannot go on until it is free.
	Stranded []string
}

// DefaultStallThreshold is how long a task may hold its worker before that counts as a stall: the time slice of
// Go's own scheduler.
const DefaultStallThreshold = 10 * time.Millisecond

// DefaultHelpers bounds the helpers of a pool.
const DefaultHelpers = 1024

// watch is what the monitor knows of a worker.
type watch struct {
	progress uint64 // what it had done
	since    int64  // when it was first seen to have done that
	cpu      int64  // its thread's CPU time when it was last looked at
	looked   int64  // and when that was
	rounds   int    // of the monitor, since

	stalled bool // it is held
	helped  bool // a helper was put on duty for it
	counted bool // the stall was counted and reported
	told    bool // that there was no helper
	bounded bool // that it computes and no P is spare
}

// quickStall is the threshold for a task that blocks while there is something behind it. Tasks that block one
// another need a thread each, and code that was written for goroutines waits for them with time-outs
// of its own.
const quickStall = time.Millisecond

// A worker that makes no progress blocks, computes, or waits for a P or for a processor. Its thread's clock and state tell
// these apart, except the wait for a P, and a floating worker has no thread. But the wait for a P needs a runnable
// goroutine, and the runtime knows how many there are; if there is none the worker is taken to block. If there are some,
// one without a thread is taken to compute after unclockedRounds: when the monitor has had its turn a few times, so has
// everybody else who waits for a P.
const unclockedRounds = 3

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
		// A worker with short tasks reads the clock more often than every quickStall.
		from := int64(w.clock.Load())
		if !w.inTask() || w.state.Load() == stateParked || now-from < int64(quickStall) {
			return
		}
		m.lookIn(monitorFast)
		if len(*m.p.heldWorkers.Load()) == 0 {
			return
		}
		x.since = from // tasks that block on one another come in chains, and each would take a round to see and one to be sure
	}
	x.rounds++
	held := time.Duration(now - x.since)
	busy, known := m.computes(w, now)
	if !m.stallsAt(w, held, busy, known) {
		if !busy {
			held = 0 // it may be found to block in the next round
		}
		m.lookIn(min(held, m.p.cfg.StallThreshold-held))
		return
	}
	x.stalled = true
	if w.computes.Swap(busy) && !busy {
		// A helper may have left tasks alone because of this, and not have set an alarm any more.
		m.p.callHelpers()
	}
	if !x.helped {
		m.help(w, busy)
	}
	if held < m.p.cfg.StallThreshold {
		m.lookIn(monitorFast)
	} else if !x.counted {
		x.counted = true
		m.p.stalls.Inc()
		m.report(w, held, busy && known, known)
	}
}

// lookIn asks for the next round in d.
func (m *monitor) lookIn(d time.Duration) {
	m.soon = min(m.soon, max(d, time.Microsecond+min(monitorFast, m.p.cfg.StallThreshold/4)))
}

// computes tells a worker that has computed since the last look from one that blocks. known is false if it has no clock
// of its own.
func (m *monitor) computes(w *worker, now int64) (busy, known bool) {
	x := &w.watch
	cpu, known := threadcpu.Time(w.thread.Get())
	if !known {
		return m.crowded, false
	}
	used, of := cpu-x.cpu, now-x.looked
	x.cpu, x.looked = cpu, now
	if used > of/2 && of > 0 {
		return true, true
	}
	runs, ok := threadcpu.Runnable(w.thread.Get()) // it may have lost the processor to another process
	return ok && runs, true
}

// stallsAt reports whether a task has held its worker long enough for that to be a stall.
func (m *monitor) stallsAt(w *worker, held time.Duration, busy, known bool) bool {
	threshold := m.p.cfg.StallThreshold
	if !busy && !m.crowded && w.behind(m.p.now()) {
		return held >= min(threshold, quickStall)
	}
	return held >= threshold && (known || !busy || w.watch.rounds >= unclockedRounds)
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
func (m *monitor) help(w *worker, busy bool) {
	x := &w.watch
	switch m.p.hold(w, busy) {
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

// reportsAtOnce bounds the reports; one more is allowed every reportEvery.
const (
	reportsAtOnce = 5
	reportEvery   = 12 * time.Second
)

// allowed reports whether one more report may be made now.
func (m *monitor) allowed(now int64) bool {
	m.allowance = min(m.allowance+float64(now-m.allowedAt)/float64(reportEvery), reportsAtOnce)
	m.allowedAt = now
	if m.allowance < 1 {
		m.suppressed++
		return false
	}
	m.allowance--
	return true
}

func (m *monitor) report(w *worker, held time.Duration, busy, known bool) {
	p := m.p
	if !p.cfg.Reports() || !m.allowed(p.now()) {
		return
	}
	l := label(w.running.Load())
	r := StallReport{
		Worker: w.id, Queue: p.queues[l.queue()].name, Site: site(l.site()), For: held, Busy: busy, Known: known,
		Section: l.why() == WhyInline,
		Stack:   w.stackOf(l), Stranded: w.left(),
	}
	p.cfg.Logger.Warn("lockstep: a task holds its worker's thread; "+r.advice(),
		"queue", r.Queue, "spawned", r.Site, "for", r.For, "busy", r.Busy, "worker", r.Worker,
		"stranded", len(r.Stranded), "suppressed", m.suppressed, "stack", string(r.Stack))
	m.suppressed = 0
	if p.cfg.StallHandler != nil {
		p.cfg.StallHandler(r)
	}
}

func (r *StallReport) advice() string {
	if r.Section {
		return "it is in a BlockInPlace section that runs in place: set WithBlockInPlace(true) for it"
	}
	if r.Busy {
		return "it computes: call YieldIfNeeded in its loop"
	}
	return "it blocks: use package tasksync or chans, or BlockInPlace with WithBlockInPlace(true)"
}

// bound says that a stalled worker gets no helper.
func (m *monitor) bound() {
	m.p.denied.Inc()
	if now := m.p.now(); m.allowed(now) {
		m.p.cfg.Logger.Warn("lockstep: a worker is held by its task and no helper is left to run what is behind it; "+
			"raise WithMaxThreads, or bound how many tasks block at once", "helpers", m.p.cfg.Helpers)
	}
}

// stackOf finds the stack of the task that runs on w: that of the goroutine which is in main of
// its coroutine, whose address stands in the trace.
func (w *worker) stackOf(l label) []byte {
	w.allMu.Lock()
	var mark []byte
	for _, co := range w.all {
		if label(co.label.Load()) == l {
			mark = fmt.Appendf(nil, "(*Coroutine).main(%p", co)
		}
	}
	w.allMu.Unlock()
	if mark == nil {
		return nil
	}
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for one := range bytes.SplitSeq(buf, []byte("\n\n")) {
		if bytes.Contains(one, mark) {
			return bytes.Clone(one)
		}
	}
	return nil
}
