package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep/queue"
)

// requireDue demands that busy queues have had their shares of the time, as exactly
// as whole quanta allow: a queue is ahead by one at most, and behind by what the others
// are ahead.
func requireDue(t require.TestingT, lanes ...*lane) {
	sum, total := 0, time.Duration(0)
	for _, l := range lanes {
		sum += l.Shares()
		total += l.ran()
	}
	for _, l := range lanes {
		due := total * time.Duration(l.Shares()) / time.Duration(sum)
		require.LessOrEqual(t, l.ran()-due, quantum, "queue %s is ahead of its due, %v", l.name, due)
		require.LessOrEqual(t, due-l.ran(), quantum*time.Duration(len(lanes)-1), "queue %s is behind its due, %v", l.name, due)
	}
}

func TestSharesAreExact(t *testing.T) {
	for _, c := range []struct{ a, b int }{{1, 1}, {1, 2}, {1, 10}, {1, 1000}, {1000, 1}, {queue.MaxShares, 1}, {333, 1000}} {
		t.Run(fmt.Sprintf("%d:%d", c.a, c.b), func(t *testing.T) {
			w := newWorker(t, quantum)
			a, b := w.lane("a", c.a), w.lane("b", c.b)
			a.spawn("a", busy(50*us))
			b.spawn("b", busy(50*us))
			for s := time.Second; s <= 10*time.Second; s += time.Second {
				w.at(s, func() { requireDue(t, a, b) })
			}
			w.run(10*time.Second + ms)
			require.Zero(t, w.idle)
			requireDue(t, a, b)
			require.Zero(t, a.Counts().SetAside+b.Counts().SetAside, "a preempted task was set aside")
		})
	}
}

// TestSharesOfManyQueues is the same for any number of queues with any shares.
func TestSharesOfManyQueues(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorker(t, quantum)
		for i, shares := range rapid.SliceOfN(rapid.IntRange(1, 2000), 2, 8).Draw(r, "shares") {
			l := w.lane(fmt.Sprint("q", i), shares)
			for range rapid.IntRange(1, 3).Draw(r, "tasks") {
				l.spawn("task", busy(rapid.SampledFrom([]time.Duration{50 * us, 250 * us, ms}).Draw(r, "step")))
			}
		}
		w.run(300 * ms)
		requireDue(r, w.lanes...)
	})
}

// TestOneTaskAgainstAThousand: shares are of queues, so the number of tasks does
// not count.
func TestOneTaskAgainstAThousand(t *testing.T) {
	w := newWorker(t, quantum)
	one, many := w.lane("one", queue.DefaultShares), w.lane("many", queue.DefaultShares)
	one.spawn("alone", busy(50*us))
	for i := range 1000 {
		many.spawn(fmt.Sprint("t", i), busy(50*us))
	}
	w.run(4 * time.Second)
	requireDue(t, one, many)
	least, most := 4*time.Second, time.Duration(0)
	for _, k := range w.tasks[1:] {
		least, most = min(least, k.used), max(most, k.used)
	}
	require.LessOrEqual(t, most-least, quantum, "tasks of one queue take turns")
}

// TestYielderIsChargedTheFloor: what a bare yield uses is next to nothing, and by
// that alone its queue would always be the poorest (glommio#431, scx#3471). It is charged the floor,
// and by what is charged the two are even.
func TestYielderIsChargedTheFloor(t *testing.T) {
	for step, until := range map[time.Duration]time.Duration{0: time.Second, us: 10 * time.Second, 10 * us: time.Second, 19 * us: time.Second} {
		t.Run(step.String(), func(t *testing.T) {
			w := newWorker(t, quantum)
			y, z := w.lane("y", 100), w.lane("z", 100)
			k := y.spawn("spin", spin(step))
			z.spawn("work", busy(50*us))
			w.run(until)
			require.InDelta(t, y.charged(), z.charged(), float64(quantum))
			require.InDelta(t, time.Duration(k.runs)*queue.Floor, y.charged(), float64(queue.Floor), "one floor a turn")
			used := float64(step + w.entry)
			require.InDelta(t, 100*used/(used+queue.Floor), y.percent(), 0.1)
		})
	}
}

// TestSharesHoldAboveTheFloor: a queue that yields every 30 µs gets its due, whoever
// is beside it. Setting aside until the tick ends would alone give it 2.9 %.
func TestSharesHoldAboveTheFloor(t *testing.T) {
	for _, tasks := range []int{1, 2, 10} {
		w := newWorker(t, quantum)
		often, rest := w.lane("often", 1000), w.lane("rest", 100)
		for range tasks {
			often.spawn("often", spin(30*us))
		}
		rest.spawn("rest", busy(50*us))
		w.run(2 * time.Second)
		requireDue(t, often, rest)
		require.InDelta(t, 90.9, often.percent(), 0.2)
	}
}

// TestSleeperSavesNoCredit: a queue that slept is not owed the time it did not ask for.
func TestSleeperSavesNoCredit(t *testing.T) {
	w := newWorker(t, quantum)
	a, b := w.lane("a", 1), w.lane("b", 1)
	a.spawn("work", busy(50*us))
	var before, during time.Duration
	b.spawn("nap", func(k *task) {
		for range 10 {
			k.sleep(500 * ms)
			before, during = b.ran(), w.now
			for w.now < during+20*ms {
				k.work(50 * us)
				k.yieldIfNeeded()
			}
			require.LessOrEqual(t, b.ran()-before, 11*ms, "half of 20 ms, and a quantum at most")
			require.GreaterOrEqual(t, b.ran()-before, 9*ms)
		}
	})
	w.run(6 * time.Second)
	require.InDelta(t, 10*10*ms, b.ran(), float64(10*ms))
}

// TestSleeperLosesNoDebt: a queue with one share that has run for a quantum has to wait
// for a thousand of them, also if it sleeps for a moment after each.
func TestSleeperLosesNoDebt(t *testing.T) {
	for _, nap := range []time.Duration{us, 10 * us, 500 * us, 5 * ms} {
		t.Run(nap.String(), func(t *testing.T) {
			w := newWorker(t, quantum)
			a, b := w.lane("a", 1000), w.lane("b", 1)
			a.spawn("work", busy(50*us))
			b.spawn("nap", func(k *task) {
				for {
					k.work(ms)
					k.sleep(nap)
				}
			})
			w.run(10 * time.Second)
			require.InDelta(t, 10*ms, b.ran(), float64(quantum), "one share of 1001")
		})
	}
}

// TestSharesChangeWhileRunning: what has been used stays charged at the old shares, and
// from then on the new ones hold.
func TestSharesChangeWhileRunning(t *testing.T) {
	w := newWorker(t, quantum)
	a, b := w.lane("a", 100), w.lane("b", 100)
	a.spawn("a", busy(50*us))
	b.spawn("b", busy(50*us))
	var last time.Duration
	phase := func(at, wantA, within time.Duration, shares int) {
		w.at(at, func() {
			require.InDelta(t, wantA, a.ran()-last, float64(within))
			last = a.ran()
			w.s.SetShares(a.Queue, shares)
		})
	}
	phase(time.Second, 500*ms, 2*quantum, 300)
	phase(2*time.Second, 750*ms, 2*quantum, 900)
	phase(3*time.Second, 900*ms, 2*quantum, 11)
	phase(4*time.Second, 99*ms, 2*quantum, 100)
	phase(5*time.Second, 500*ms, 6*quantum, 100) // a quantum at 11 shares is owed as nine at 100
	w.run(6 * time.Second)
	require.Empty(t, w.timers)
}
