package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// crowd is a set of tasks that make each other, or themselves, ready without end.
type crowd struct {
	name   string
	spawn  func(*lane) []*task
	beside float64 // percent of the CPU next to work in another queue of equal shares
	within float64 // the same next to work in its own queue, at most
	always bool    // each task is ready in every tick
}

func spinners(n int) func(*lane) []*task {
	return func(l *lane) (all []*task) {
		for i := range n {
			all = append(all, l.spawn(fmt.Sprint("spin", i), spin(0)))
		}
		return all
	}
}

func ring(n int, yields bool) func(*lane) []*task {
	return func(l *lane) []*task { return l.circle(n, 0, yields) }
}

// crowds: a visit with a yield in it is charged 20 µs, so beside work a crowd of n
// gets n × 0.1 µs of 20 µs. A circle that only wakes and waits is charged what
// it uses, like everybody else, and therefore gets its due.
var crowds = []crowd{
	{"spinner", spinners(1), 0.50, 0.02, true},
	{"ten spinners", spinners(10), 4.75, 0.1, true},
	{"ping-pong, yielding", ring(2, true), 1.96, 0.1, true},
	{"circle of five, yielding", ring(5, true), 4.75, 0.1, false},
	{"ping-pong", ring(2, false), 50, 0.1, false},
	{"circle of five", ring(5, false), 50, 0.1, false},
}

// requireOncePerTick demands the promise of the detector: at most one run in a tick, and,
// of a task that is always ready, one in each tick in which its queue had a full visit.
func requireOncePerTick(t *testing.T, w *worker, always bool, crowd ...*task) {
	t.Helper()
	full := map[uint64]bool{}
	for _, v := range w.visits {
		if v.lane == crowd[0].lane && v.full && v.from < v.to {
			full[v.tick] = true
		}
	}
	for _, k := range crowd {
		ran := map[uint64]bool{}
		for _, tick := range k.ticks {
			if ran[tick] {
				require.Fail(t, "ran twice in a tick", "%s in tick %d", k.name, tick)
			}
			ran[tick] = true
		}
		for tick := range full {
			if always && !ran[tick] {
				require.Fail(t, "did not run in a tick with a full visit", "%s in tick %d", k.name, tick)
			}
		}
	}
}

func usedBy(tasks []*task) (d time.Duration) {
	for _, k := range tasks {
		d += k.used
	}
	return d
}

func TestCrowdBesideWork(t *testing.T) {
	for _, c := range crowds {
		t.Run(c.name, func(t *testing.T) {
			w := newWorker(t, quantum)
			w.keep = true
			a, b := w.lane("a", 100), w.lane("b", 100)
			crowd := c.spawn(a)
			work := b.spawn("work", busy(50*us))
			w.run(20 * ms)
			require.InDelta(t, c.beside, a.percent(), 0.51+100*float64(quantum)/float64(2*w.now))
			require.Zero(t, w.idle)
			require.Zero(t, b.Counts().SetAside)
			require.NotZero(t, a.Counts().SetAside)
			requireOncePerTick(t, w, c.always, crowd...)
			requireOncePerTick(t, w, true, work)
			requireShortWaits(t, w, b, quantum+us)
		})
	}
}

func TestCrowdAmongWork(t *testing.T) {
	for _, c := range crowds {
		t.Run(c.name, func(t *testing.T) {
			w := newWorker(t, quantum)
			w.keep = true
			a := w.lane("a", 100)
			crowd := c.spawn(a)
			work := []*task{a.spawn("w1", busy(50*us)), a.spawn("w2", busy(50*us))}
			w.run(100 * ms)
			require.LessOrEqual(t, 100*float64(usedBy(crowd))/float64(w.now), c.within)
			require.InDelta(t, work[0].used, work[1].used, float64(quantum))
			requireOncePerTick(t, w, c.always, crowd...)
			for _, k := range crowd { // and the work does not starve the crowd
				require.GreaterOrEqual(t, k.runs, 8, k.name)
			}
		})
	}
}

// requireShortWaits demands that a queue which is always ready never waits longer than d.
func requireShortWaits(t *testing.T, w *worker, l *lane, d time.Duration) {
	t.Helper()
	last := time.Duration(0)
	for _, v := range w.visits {
		if v.lane == l {
			require.LessOrEqual(t, v.from-last, d, "queue %s waited too long", l.name)
			last = v.to
		}
	}
	require.NotZero(t, last)
}

// TestCrowdsTogether puts a crowd into each of three queues, beside work in a fourth.
func TestCrowdsTogether(t *testing.T) {
	w := newWorker(t, quantum)
	w.keep = true
	var all [][]*task
	for _, c := range crowds[:3] {
		all = append(all, c.spawn(w.lane(c.name, 100)))
	}
	work := w.lane("work", 100)
	work.spawn("work", busy(50*us))
	w.run(100 * ms)
	for i, crowd := range all {
		require.InDelta(t, crowds[i].beside, w.lanes[i].percent(), 0.51, crowds[i].name)
		requireOncePerTick(t, w, true, crowd...)
	}
	requireShortWaits(t, w, work, quantum+100*us)
}

// TestSetAsideIsCountedPerQueue: the statistic names the queue whose tasks only yield.
func TestSetAsideIsCountedPerQueue(t *testing.T) {
	s := queue.New(int64(quantum))
	a, b := s.Add(1, 0), s.Add(1, 0)
	s.Push(a, queue.Task{Fn: func() {}})
	require.True(t, s.Pick(0))
	e, _ := s.Next()
	require.False(t, s.Ready(a, e, s.Tick()-1, false), "ran in another tick")
	require.False(t, s.Ready(a, e, s.Tick(), true), "preempted")
	require.True(t, s.Ready(a, e, s.Tick(), false))
	require.True(t, s.Ready(b, e, s.Tick(), false), "also in a queue that is not visited")
	require.Equal(t, uint64(1), a.Counts().SetAside)
	require.Equal(t, uint64(1), b.Counts().SetAside)
	require.Equal(t, 2, s.Len())
	require.False(t, s.Idle())
}
