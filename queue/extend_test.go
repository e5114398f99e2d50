package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// TestExtendLeadsToTheSameTasks: a pair of tasks that wake each other runs in the same order and in the same
// ticks, whether the visit is extended or ended and begun again.
func TestExtendLeadsToTheSameTasks(t *testing.T) {
	run := func(extend bool) (order []uint32, ticks []uint64) {
		s := queue.New(int64(quantum))
		q := s.Add(100, 0)
		var ran [2]uint64
		s.Push(q, numbered(0, queue.Started))
		s.Push(q, numbered(1, queue.Started))
		require.True(t, s.Pick(0))
		for len(order) < 50 {
			e, ok := s.Next()
			switch {
			case ok:
			case extend:
				require.True(t, s.Extend())
				continue
			default:
				s.EndVisit(0)
				require.True(t, s.Pick(0))
				continue
			}
			ran[e.Age] = s.Tick()
			order, ticks = append(order, e.Age), append(ticks, s.Tick())
			s.Ready(q, e, ran[e.Age], false)
			s.Check()
		}
		return order, ticks
	}
	order, ticks := run(false)
	extended, extendedTicks := run(true)
	require.Equal(t, order, extended)
	require.Equal(t, ticks, extendedTicks)
}

// TestExtendOnlyWithoutOthers: another queue with a task, or one that is set aside, gets its turn.
func TestExtendOnlyWithoutOthers(t *testing.T) {
	s := queue.New(int64(quantum))
	require.False(t, s.Extend(), "no visit")
	a, b := s.Add(100, 0), s.Add(100, 0)
	s.Push(a, numbered(0, queue.Started))
	require.True(t, s.Pick(0))
	e, _ := s.Next()
	require.False(t, s.Extend(), "nothing set aside")
	s.Ready(a, e, s.Tick(), false)
	s.Push(b, numbered(1, queue.Started))
	require.False(t, s.Extend(), "b is active")
	s.EndVisit(0)
	require.True(t, s.Pick(0))
	require.Equal(t, b, s.Current())
	f, _ := s.Next()
	s.Ready(b, f, s.Tick(), false)
	require.False(t, s.Extend(), "a has a task set aside as well")
	s.Check()
}
