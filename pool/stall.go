package pool

import (
	"bytes"
	"fmt"
	"runtime"
	"time"
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
