package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/internal/invariants"
	"github.com/lockstep-go/lockstep/queue"
)

// TestInvariantsAreChecked breaks I1, I2 and I3 and wants to be told: a check that nothing
// can fail proves nothing.
func TestInvariantsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(*queue.Sched)
		says   string
	}{
		"I1 place":  {(*queue.Sched).MisplaceHeap, "I1: queue 0 is not at its place in the heap"},
		"I1 order":  {(*queue.Sched).DisorderHeap, "I1: the heap of active queues is out of order at 1"},
		"I2 active": {(*queue.Sched).ForgetActive, "I2: queue 0 has 1 ready tasks and is not among the active queues"},
		"I2 aside":  {func(s *queue.Sched) { s.ForgetAside(s.Queue(2)) }, "I2: queue 2 has 1 tasks set aside and is not on the list of those"},
		"I3":        {(*queue.Sched).Miscount, "I3: 2 tasks are ready, 3 counted"},
	} {
		t.Run(name, func(t *testing.T) {
			s := queue.New(int64(quantum))
			for range 3 {
				s.Add(1, 0)
			}
			s.Push(s.Queue(0), numbered(1, 1))
			s.Push(s.Queue(1), numbered(2, 1))
			s.Ready(s.Queue(2), numbered(3, 0), s.Tick(), false)
			require.NotPanics(t, s.Check)
			c.damage(s)
			require.PanicsWithValue(t, "lockstep: invariant broken: "+c.says, s.Check)
		})
	}
}

// TestPickChecksInvariants: in a build with the tag every visit does.
func TestPickChecksInvariants(t *testing.T) {
	s := queue.New(int64(quantum))
	s.Push(s.Add(1, 0), numbered(1, 1))
	s.Miscount()
	if invariants.Enabled {
		require.PanicsWithValue(t, "lockstep: invariant broken: I3: 1 tasks are ready, 2 counted", func() { s.Pick(0) })
	} else {
		require.True(t, s.Pick(0))
	}
}
