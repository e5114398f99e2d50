package queue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChainAloneIsNotThrottled: with nothing else to do a producer and a consumer
// that hand over every 5 µs run without a pause, however they give way.
func TestChainAloneIsNotThrottled(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		w := newWorker(t, quantum)
		crowd := w.lane("a", 100).circle(n, 5*us, false)
		w.run(100 * ms)
		require.Zero(t, w.idle)
		hops := 0
		for _, k := range crowd {
			hops += k.runs
		}
		require.InDelta(t, float64(w.now)/float64(5*us+w.entry), hops, float64(n), "hops")
	}
	w := newWorker(t, quantum)
	two := []*task{w.lane("a", 100).spawn("p", spin(5*us)), w.lanes[0].spawn("c", spin(5*us))}
	w.run(100 * ms)
	require.Zero(t, w.idle)
	require.InDelta(t, float64(w.now)/float64(5*us+w.entry), two[0].runs+two[1].runs, 2)
	require.InDelta(t, two[0].runs, two[1].runs, 1)
}

// TestChainBesideWorkGetsItsDue: set aside until the tick ends, and no more, a chain of
// 5 µs hops would get 1 %. By wakes alone it gets all of its due. If each
// hop also yields, two of them fall short of the floor and get 10 µs of 20.
func TestChainBesideWorkGetsItsDue(t *testing.T) {
	for _, c := range []struct {
		n      int
		yields bool
		due    float64 // percent
	}{{2, false, 100}, {3, false, 100}, {5, false, 100}, {2, true, 68}, {3, true, 87}, {5, true, 100}} {
		t.Run(fmt.Sprint(c.n, " yields=", c.yields), func(t *testing.T) {
			w := newWorker(t, quantum)
			w.keep = true
			a, b := w.lane("a", 100), w.lane("b", 100)
			crowd := a.circle(c.n, 5*us, c.yields)
			b.spawn("work", busy(50*us))
			w.run(200 * ms)
			require.InDelta(t, c.due, 2*a.percent(), 1.5)
			requireOncePerTick(t, w, false, crowd...)
			requireShortWaits(t, w, b, quantum+30*us)
		})
	}
}

// TestOutsideWakesAreNoSelfWakes: a task that a timer makes ready is never set aside, be
// it thirty times in one tick, which lasts a quantum because the visit does.
func TestOutsideWakesAreNoSelfWakes(t *testing.T) {
	w := newWorker(t, quantum)
	w.keep = true
	var timed []*task
	for _, name := range []string{"a", "b"} {
		l := w.lane(name, 100)
		for range 3 {
			timed = append(timed, l.spawn("timed", func(k *task) {
				for {
					k.work(3 * us)
					k.sleep(30 * us)
				}
			}))
		}
	}
	var link func(*task)
	link = func(k *task) { k.work(2 * us); k.lane.spawn("link", link) }
	w.lanes[0].spawn("link", link)
	w.run(20 * ms)
	for _, l := range w.lanes {
		require.Zero(t, l.Counts().SetAside)
	}
	for _, k := range timed[:3] {
		most, n := 0, map[uint64]int{}
		for _, tick := range k.ticks {
			n[tick]++
			most = max(most, n[tick])
		}
		require.GreaterOrEqual(t, most, 20)
	}
}

// TestOnlyYielders: two tasks that yield and nothing else take turns, at full speed.
func TestOnlyYielders(t *testing.T) {
	for name, lanes := range map[string]int{"one queue": 1, "two queues": 2} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, quantum)
			w.keep = true
			for i := range lanes {
				w.lane(fmt.Sprint("q", i), 100)
			}
			x, y := w.lanes[0].spawn("x", spin(0)), w.lanes[lanes-1].spawn("y", spin(0))
			w.run(3 * ms)
			require.Zero(t, w.idle)
			require.InDelta(t, float64(w.now)/float64(w.entry), x.runs+y.runs, 1, "every 0.1 µs one of them")
			require.InDelta(t, x.runs, y.runs, 1)
			requireOncePerTick(t, w, true, x)
			requireOncePerTick(t, w, true, y)
		})
	}
}
