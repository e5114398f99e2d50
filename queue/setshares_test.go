package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// A queue that has run 20 ms at one share beside a thousand owes 20 s of the other's time. Raised to a thousand it owes 20 ms.
func TestRaisedSharesDoNotKeepTheOldDebt(t *testing.T) {
	w := newWorker(t, quantum)
	a, b := w.lane("a", 1), w.lane("b", 1000)
	a.spawn("a", busy(20*ms))
	b.spawn("b", busy(50*us))
	w.at(25*ms, func() {
		require.GreaterOrEqual(t, a.ran(), 20*ms)
		w.s.SetShares(a.Queue, 1000)
	})
	w.at(225*ms, func() { require.InDelta(t, 112*ms, a.ran(), float64(25*ms), "half of all") })
	w.run(226 * ms)
}

// What a queue is ahead by is bounded, whatever the change.
func TestSharesChangeAtTheLimits(t *testing.T) {
	for name, v := range beginnings() {
		t.Run(name, func(t *testing.T) {
			s := queue.New(int64(quantum))
			a, b := s.Add(queue.MaxShares, 0), s.Add(1, 0)
			s.SetVirtual(v)
			for _, q := range []*queue.Queue{a, b} {
				s.Push(q, queue.Task{Fn: func() {}})
			}
			for range 50 { // each would multiply what a is ahead by by a million
				s.SetShares(a, queue.MinShares)
				require.True(t, s.Pick(0))
				t0, _ := s.Next()
				q := s.Current()
				s.EndVisit(1 << 40)
				s.Push(q, t0)
				s.SetShares(a, queue.MaxShares)
				s.SetShares(a, queue.MinShares)
				s.SetShares(a, queue.MaxShares)
			}
			require.LessOrEqual(t, max(a.VirtualRuntime(), b.VirtualRuntime())-min(a.VirtualRuntime(), b.VirtualRuntime()),
				uint64(queue.MaxCharge)*queue.Scale)
		})
	}
}
