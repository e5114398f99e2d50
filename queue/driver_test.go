package queue_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

const (
	us      = time.Microsecond
	ms      = time.Millisecond
	quantum = time.Millisecond
)

// worker drives a Sched as a worker of package pool does, but on a clock that
// moves only when a task works or a scheduler call is charged for. It reads that
// clock at every entry, where the pool saves most of the readings.
//
// Tasks are ordinary functions on coroutines of their own, see script_test.go.
type worker struct {
	t     *testing.T
	s     *queue.Sched
	lanes []*lane
	now   time.Duration
	until time.Duration
	entry time.Duration // what a yield or a wake costs

	timers []timer
	fresh  bool // a visit has begun and not run anything yet
	tasks  []*task

	trace  *strings.Builder // nil: no trace
	from   time.Duration    // when the visit began
	idle   time.Duration    // time without a task
	visits []visit          // kept if keep is set
	keep   bool
}

// lane is a task queue with its name.
type lane struct {
	*queue.Queue
	w      *worker
	name   string
	marked time.Duration
}

// visit is one turn of a queue. It was full if it ended because nothing was left to run.
type visit struct {
	lane     *lane
	tick     uint64
	from, to time.Duration
	full     bool
}

type timer struct {
	at   time.Duration
	fire func()
}

func newWorker(t *testing.T, quantum time.Duration) *worker {
	w := &worker{t: t, s: queue.New(int64(quantum)), entry: 100 * time.Nanosecond}
	t.Cleanup(func() {
		for _, k := range w.tasks {
			if k.stop != nil {
				k.stop()
			}
		}
	})
	return w
}

func (w *worker) lane(name string, shares int) *lane { return w.urgentLane(name, shares, 0) }

func (w *worker) urgentLane(name string, shares int, latency time.Duration) *lane {
	l := &lane{Queue: w.s.Add(shares, int64(latency)), w: w, name: name}
	w.lanes = append(w.lanes, l)
	return l
}

// at arranges for f to be called at a time, from outside of all tasks.
func (w *worker) at(when time.Duration, f func()) {
	x := timer{when, f}
	i, _ := slices.BinarySearchFunc(w.timers, x, func(a, b timer) int { return cmp.Or(cmp.Compare(a.at, b.at), -1) })
	w.timers = slices.Insert(w.timers, i, x)
}

func (w *worker) fireTimers() {
	for len(w.timers) > 0 && w.timers[0].at <= w.now {
		f := w.timers[0].fire
		w.timers = w.timers[1:]
		f()
	}
}

// run steps the worker until the clock shows d, or nothing is left that could happen.
func (w *worker) run(d time.Duration) {
	w.until = d
	for w.now < w.until {
		w.fireTimers()
		if w.fresh || w.s.Continues(int64(w.now)) {
			w.fresh = false
			if e, ok := w.s.Next(); ok {
				e.Fn()
				continue
			}
		}
		w.endVisit()
		if w.s.Pick(int64(w.now)) {
			w.beginVisit()
		} else if !w.sleep() {
			return
		}
	}
}

func (w *worker) beginVisit() {
	w.fresh, w.from = true, w.now
	if w.s.Current().VirtualRuntime() != w.s.VirtualNow() {
		require.Fail(w.t, "a queue was picked that lags behind the worker's virtual time: it has credit")
	}
	w.s.Check()
}

func (w *worker) endVisit() {
	w.noteVisit()
	w.s.EndVisit(int64(w.now))
}

func (w *worker) renew() {
	w.noteVisit()
	w.s.Renew(int64(w.now))
	w.from = w.now
}

func (w *worker) noteVisit() {
	if q := w.s.Current(); q != nil && w.keep {
		active, _ := q.Len()
		over := w.s.Over(int64(w.now))
		w.visits = append(w.visits, visit{w.lanes[q.ID()], w.s.Tick(), w.from, w.now, active == 0 && !over})
	}
}

// sleep moves the clock to the next timer. A worker that sleeps beside a task that
// could run has lost it.
func (w *worker) sleep() bool {
	require.True(w.t, w.s.Idle(), "the worker goes to sleep with work in a queue")
	for _, l := range w.lanes {
		active, aside := l.Len()
		require.Zero(w.t, active+aside, "the worker goes to sleep with work in queue %s", l.name)
	}
	if len(w.timers) == 0 {
		return false
	}
	w.idle += w.timers[0].at - w.now
	w.now = w.timers[0].at
	return true
}

// resume runs a task until it gives way. It is what an entry of a run queue does.
func (w *worker) resume(k *task) {
	from, tick := w.now, w.s.Tick()
	k.ran = tick
	k.runs++
	if w.keep {
		k.ticks = append(k.ticks, tick)
	}
	if k.next == nil {
		k.start()
	}
	k.next()
	k.used += w.now - from
	if w.trace != nil {
		fmt.Fprintf(w.trace, "%4d %9s %9s  %-6s %-6s %s\n", tick, micros(from), micros(w.now), k.lane.name, k.name, k.why)
	}
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(us)) }

// ran returns the time that a queue has run, in the visits that have ended, since mark.
func (l *lane) ran() time.Duration { return time.Duration(l.Counts().RunTime) - l.marked }

func (l *lane) mark() { l.marked += l.ran() }

// percent returns the queue's part of the time that has passed.
func (l *lane) percent() float64 { return 100 * float64(l.ran()) / float64(l.w.now) }

// charged returns the time that was charged to a queue whose shares never changed
// and which was never idle: floors included.
func (l *lane) charged() time.Duration {
	return time.Duration(l.VirtualRuntime() * uint64(l.Shares()) / queue.Scale)
}
