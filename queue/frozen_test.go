package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// TestPingPongOnAClockThatStands (tokio#2349): in a synctest bubble, or where the clock is coarse,
// a turn of two tasks that wake each other takes no time. It is charged none, their queue
// stays the poorest, and with the lesser number it wins every tie: the other queue
// would never run.
func TestPingPongOnAClockThatStands(t *testing.T) {
	s := queue.New(int64(quantum))
	pair, other := s.Add(100, 0), s.Add(100, 0)
	s.Push(other, numbered(9, queue.Started))
	var ran [2]uint64
	next := 0 // who has the token
	s.Push(pair, numbered(0, queue.Started))
	for hops := 0; ; {
		require.Less(t, hops, 100, "the token went round and the other queue has not run")
		require.True(t, s.Pick(0))
		if s.Current() == other {
			return
		}
		for e, ok := s.Next(); ok; e, ok = s.Next() {
			ran[e.Age] = s.Tick()
			hops++
			next = 1 - next
			s.Ready(pair, numbered(next, queue.Started), ran[next], false)
		}
		s.EndVisit(0)
	}
}
