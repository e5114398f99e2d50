package queue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// The tests of this file are faults that other schedulers were reported to have.

// TestD17PreemptedBeforeAnythingRan (glommio#53): when every look at the clock says
// that the visit is over, this must not be taken for "nothing to do". The
// worker's sleep, the only way out of the loop, checks that all queues are empty.
func TestD17PreemptedBeforeAnythingRan(t *testing.T) {
	w := newWorker(t, time.Nanosecond)
	done := 0
	for _, name := range []string{"a", "b"} {
		w.lane(name, 100).spawn(name, func(k *task) {
			for range 1000 {
				k.work(time.Nanosecond)
				k.yieldIfNeeded()
			}
			done++
		})
	}
	w.run(time.Second)
	require.Equal(t, 2, done)
	require.Less(t, w.now, 2100*time.Nanosecond, "no time was lost")
}

// TestD17LatencyQueueCannotStopTheOthers is the same with a latency queue that
// wants to preempt at each step.
func TestD17LatencyQueueCannotStopTheOthers(t *testing.T) {
	w := newWorker(t, quantum)
	done := 0
	for _, name := range []string{"a", "b"} {
		w.lane(name, 100).spawn(name, func(k *task) {
			for range 1000 {
				k.work(us)
				k.yieldIfNeeded()
			}
			done++
		})
	}
	u := w.urgentLane("urgent", 100, us)
	for range 3 {
		u.spawn("nag", func(k *task) {
			for done < 2 {
				k.work(us)
				k.sleep(us)
			}
		})
	}
	w.run(time.Second)
	require.Equal(t, 2, done)
	require.Less(t, w.now, 6*ms, "two of three queues need 2 ms")
}

// TestD19YieldLoopIsCharged (glommio#431): between two steps of the work the yielder
// runs about fifty times, a floor each, and not ten thousand times.
func TestD19YieldLoopIsCharged(t *testing.T) {
	w := newWorker(t, quantum)
	w.keep = true
	stop := false
	q1, q2 := w.lane("q1", 100), w.lane("q2", 100)
	y := q1.spawn("spin", func(k *task) {
		for !stop {
			k.yield()
		}
	})
	before := 0
	z := q2.spawn("steps", func(k *task) {
		for range 100 {
			require.LessOrEqual(t, y.runs-before, int(quantum/queue.Floor)+1)
			before = y.runs
			k.work(ms)
			k.yieldIfNeeded()
		}
		stop = true
	})
	w.run(time.Second)
	require.LessOrEqual(t, z.runs, 101, "one round a step")
	require.Less(t, w.now, 101*ms)
	require.InDelta(t, y.runs, q1.Counts().SetAside, 1)
	require.Zero(t, q2.Counts().SetAside)
	requireOncePerTick(t, w, true, y)
}

// TestD20TimersBesideYielders (tokio#5209): fifty tasks that only yield do not hold up what is
// due from outside. It runs in the round in which it is due.
func TestD20TimersBesideYielders(t *testing.T) {
	w := newWorker(t, quantum)
	a := w.lane("a", 100)
	for range 50 {
		a.spawn("spin", spin(0))
	}
	late := time.Duration(-1)
	a.spawn("timed", func(k *task) {
		for range 20 {
			due := k.w.now + 100*us
			k.sleep(100 * us)
			late = max(late, k.w.now-due)
		}
	})
	w.run(5 * ms)
	require.GreaterOrEqual(t, late, time.Duration(0))
	require.LessOrEqual(t, late, 51*w.entry, "one round of the fifty")
}

// TestD21PrivateSlot (tokio#2349): two tasks that wake each other keep nobody out,
// be it in their own queue or in another. Nor do tasks of which each
// spawns the next.
func TestD21PrivateSlot(t *testing.T) {
	pair := func(l *lane, hops *int) {
		var ring [2]*task
		for i := range ring {
			ring[i] = l.spawn("pp", func(k *task) {
				for {
					k.park()
					*hops++
					k.wake(ring[1-i])
				}
			})
		}
		l.w.at(us, ring[0].wakeOutside)
	}
	chain := func(l *lane, hops *int) {
		var link func(*task)
		link = func(k *task) {
			*hops++
			k.pass(k.w.entry)
			l.spawn("link", link)
		}
		l.spawn("link", link)
	}
	for name, c := range map[string]struct {
		start func(*lane, *int)
		other bool
		most  int // hops that pass until C starts
	}{
		"pair":                {pair, false, 4},
		"pair, other queue":   {pair, true, 4},
		"spawns":              {chain, false, 2},
		"spawns, other queue": {chain, true, int(quantum/(100*time.Nanosecond)) + 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, quantum)
			l := w.lane("l", 100) // the lesser number, so that a tie is theirs
			lane := l
			if c.other {
				lane = w.lane("m", 100)
			}
			hops, started := 0, 0
			c.start(l, &hops)
			for i := range 3 {
				w.at(ms+time.Duration(i)*777*us, func() {
					before := hops
					lane.spawn("C", func(k *task) {
						started++
						require.LessOrEqual(t, hops-before, c.most)
						k.work(100 * us)
					})
				})
			}
			w.run(5 * ms)
			require.Equal(t, 3, started)
		})
	}
}

// TestD22YieldersGetNoCreditBack (scx#3471): yielding often does not make a queue come
// first. Each visit checks that nobody is behind the worker's virtual time.
func TestD22YieldersGetNoCreditBack(t *testing.T) {
	w := newWorker(t, quantum)
	y, z := w.lane("y", 100), w.lane("z", 100)
	last := uint64(0)
	y.spawn("yielder", func(k *task) {
		for {
			require.GreaterOrEqual(t, y.VirtualRuntime(), last)
			last = y.VirtualRuntime()
			k.work(us)
			k.yield()
		}
	})
	z.spawn("whole quanta", busy(ms))
	w.run(time.Second)
	require.InEpsilon(t, y.charged(), z.charged(), 0.02)
}
