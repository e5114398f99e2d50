package queue_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// beginnings are virtual runtimes from which a second of ordinary work passes the place
// where all of them are moved down (2^62), and the last number that fits.
func beginnings() map[string]uint64 {
	const second = uint64(time.Second) * queue.Scale
	return map[string]uint64{
		"0":            0,
		"below rebase": queue.RebaseAbove - second/40,
		"at rebase":    queue.RebaseAbove,
		"2^63":         1<<63 - second/40,
		"MaxUint64":    math.MaxUint64 - uint64(time.Millisecond)*queue.Scale,
	}
}

// TestD24AlternationOverTheWrap (HeliOS#11): the queues take strict turns, also while their
// counters are moved down, and end where they would have ended without.
func TestD24AlternationOverTheWrap(t *testing.T) {
	for name, v := range beginnings() {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, quantum)
			w.keep = true
			a, b := w.lane("a", 1), w.lane("b", 1)
			w.s.SetVirtual(v)
			a.spawn("a", busy(250*us))
			b.spawn("b", busy(250*us))
			w.run(time.Second + us)
			require.Len(t, w.visits, 1000)
			for i, v := range w.visits {
				require.Equal(t, w.lanes[i%2], v.lane, "visit %d", i)
				require.Equal(t, quantum, v.to-v.from, "visit %d", i)
			}
		})
	}
}

// TestD24SharesOverTheWrap: five queues get their shares before, over and after the wrap,
// and one that sleeps over it comes back without credit or debt.
func TestD24SharesOverTheWrap(t *testing.T) {
	for name, v := range beginnings() {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, quantum)
			w.keep = true
			for i := range 6 {
				w.lane(fmt.Sprint("q", i), 1+i)
			}
			w.s.SetVirtual(v)
			for _, l := range w.lanes[:5] {
				l.spawn("busy", busy(250*us))
			}
			w.lanes[5].spawn("nap", func(k *task) {
				k.sleep(450 * ms) // until 0.375 s the five have got to the place of the wrap
				requireDue(t, w.lanes[:5]...)
				for l := range w.lanes {
					w.lanes[l].mark()
				}
				busy(250 * us)(k)
			})
			w.run(time.Second)
			requireDue(t, w.lanes...)
			if v > 0 {
				require.Less(t, w.s.VirtualNow(), v, "the scenario does not pass the wrap")
			}
			inARow := 1
			for i, v := range w.visits[1:] {
				if v.lane != w.visits[i].lane {
					inARow = 0
				}
				inARow++
				require.LessOrEqual(t, inARow, 2, "visit %d", i)
			}
		})
	}
}

// TestD24SharesFlipEachTick (asterinas#2235): changing the shares from 1 to the maximum and back each
// tick makes nothing overflow, and no visit moves a queue by more than a quantum at one share.
func TestD24SharesFlipEachTick(t *testing.T) {
	const longest = uint64(quantum) * queue.Scale / queue.MinShares
	for name, v := range beginnings() {
		t.Run(name, func(t *testing.T) {
			s := queue.New(int64(quantum))
			a, b := s.Add(1, 0), s.Add(100, 0)
			s.SetVirtual(v)
			for _, q := range []*queue.Queue{a, b} {
				s.Push(q, queue.Task{Fn: func() {}})
			}
			now, ran := int64(0), [2]int{}
			for tick := uint64(1); tick < 100_000; tick = s.Tick() {
				s.SetShares(a, [2]int{queue.MinShares, queue.MaxShares}[tick%2])
				require.True(t, s.Pick(now))
				q := s.Current()
				before := q.VirtualRuntime()
				e, _ := s.Next()
				now += int64(quantum)
				s.Ready(q, e, s.Tick(), s.Over(now))
				s.EndVisit(now)
				ran[q.ID()]++
				if d := q.VirtualRuntime() - before; d > longest && q.VirtualRuntime() > longest {
					require.Fail(t, "virtual time jumped", "by %d in tick %d", d, tick)
				}
			}
			require.Greater(t, ran[0], 500, "a runs when it has one share, and much when it has all")
			require.GreaterOrEqual(t, ran[1], 50_000) // b meanwhile, half of all turns
			require.Zero(t, a.Counts().SetAside+b.Counts().SetAside)
		})
	}
}

// TestD24HugeVisits: a clock that jumps, forwards or back, costs its queue at most what
// the bound says, and the others get their turn.
func TestD24HugeVisits(t *testing.T) {
	for _, elapsed := range []int64{math.MaxInt64, math.MaxInt64 / 2, queue.MaxCharge + 1, queue.MaxCharge, -1, math.MinInt64 / 2} {
		for _, shares := range []int{queue.MinShares, 3, queue.MaxShares} {
			s := queue.New(int64(quantum))
			a, b := s.Add(shares, 0), s.Add(shares, 0)
			for _, q := range []*queue.Queue{a, b} {
				s.Push(q, queue.Task{Fn: func() {}})
			}
			turns := ""
			for range 200 {
				require.True(t, s.Pick(0))
				q, was := s.Current(), s.Current().Counts().RunTime
				e, _ := s.Next()
				s.Push(q, e)
				s.EndVisit(elapsed)
				require.Equal(t, uint64(min(max(elapsed, 0), queue.MaxCharge)), q.Counts().RunTime-was)
				turns += fmt.Sprint(q.ID())
				s.Check()
			}
			if elapsed > 0 {
				require.NotContains(t, turns, "00", "elapsed %d, shares %d", elapsed, shares)
				require.NotContains(t, turns, "11", "elapsed %d, shares %d", elapsed, shares)
			}
		}
	}
}

// TestNoTimeIsLost: what the division by the shares leaves over is kept, so that
// the shortest visits add up at any number of shares.
func TestNoTimeIsLost(t *testing.T) {
	for _, shares := range []int{1, 3, 1000, 1023, 1025, 99_991, queue.MaxShares} {
		s := queue.New(int64(quantum))
		q := s.Add(shares, 0)
		const visits = 10_000
		for i := range int64(visits) {
			s.Push(q, queue.Task{Fn: func() {}})
			require.True(t, s.Pick(i*101))
			s.Next()
			s.EndVisit((i + 1) * 101)
		}
		require.Equal(t, uint64(101*visits*queue.Scale/shares), q.VirtualRuntime(), "%d shares", shares)
	}
}

// TestSharesAreClamped: the pool refuses what is out of range; here it cannot do harm.
func TestSharesAreClamped(t *testing.T) {
	s := queue.New(int64(quantum))
	for n, want := range map[int]int{
		math.MinInt: queue.MinShares, -1: queue.MinShares, 0: queue.MinShares, 1: 1, 100: 100,
		queue.MaxShares: queue.MaxShares, queue.MaxShares + 1: queue.MaxShares, math.MaxInt: queue.MaxShares,
	} {
		require.Equal(t, want, s.Add(n, 0).Shares())
		q := s.Add(7, 0)
		s.SetShares(q, n)
		require.Equal(t, want, q.Shares())
	}
}
