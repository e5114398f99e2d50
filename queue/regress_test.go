package queue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// stealAll takes every task that may move.
func stealAll(s *queue.Sched, queues int) int {
	return steal(s, &queue.Cache{}, make([]queue.FIFO, queues), 1<<20)
}

// oneVisit picks the next queue, runs one task of it for d and ends the visit.
func oneVisit(t *testing.T, s *queue.Sched, now *int64, d int64) *queue.Queue {
	require.True(t, s.Pick(*now))
	q := s.Current()
	_, ok := s.Next()
	require.True(t, ok)
	*now += d
	s.EndVisit(*now)
	return q
}

// TestStolenEmptyWithTasksSetAside: a thief takes the last active task of a queue which
// also has one set aside. When the tick ends the queue must not enter the heap twice.
func TestStolenEmptyWithTasksSetAside(t *testing.T) {
	const q = int64(quantum)
	s := queue.New(q)
	a, b := s.Add(1, 0), s.Add(1, 0)
	now := int64(0)
	s.Push(a, numbered(1, queue.Started))
	s.Push(a, numbered(2, 1))
	require.True(t, s.Pick(now))
	e, _ := s.Next()
	require.True(t, s.Ready(a, e, s.Tick(), false))
	now = q
	s.EndVisit(now)                       // over: one task active, one set aside
	require.Equal(t, 1, stealAll(s, 2))   // now only the one set aside
	s.Push(b, numbered(3, queue.Started)) // rejoins at 0, a is at one quantum
	for i := range 4 {
		s.Push(b, numbered(10+i, queue.Started))
	}
	require.Equal(t, b, oneVisit(t, s, &now, q)) // the tick is over: a is active again
	s.Check()                                    // I1 fails here
	var order []int
	for range 4 {
		s.Push(a, numbered(20, queue.Started))
		order = append(order, oneVisit(t, s, &now, q).ID())
		s.Check()
	}
	require.Equal(t, []int{0, 1, 0, 1}, order, "equal shares take turns")
}

// TestStolenEmptyQueueIsIdle: a queue whose tasks a thief took has nothing to run, and saves
// no credit while its worker is alone with one long task.
func TestStolenEmptyQueueIsIdle(t *testing.T) {
	const q = int64(quantum)
	s := queue.New(q)
	a, b := s.Add(1, 0), s.Add(1, 0)
	s.Push(a, numbered(1, queue.Started))
	s.Push(b, numbered(2, 1))
	require.True(t, s.Pick(0))
	require.Equal(t, a, s.Current())
	s.Next()
	require.Equal(t, 1, stealAll(s, 2))
	now := int64(0)
	for range 1000 { // a second of YieldIfNeeded, with nothing else ready
		now += q
		require.True(t, s.Idle())
		s.Renew(now)
	}
	s.Push(b, numbered(3, queue.Started))
	require.GreaterOrEqual(t, b.VirtualRuntime(), s.VirtualNow(), "b has a second of credit")
	s.Check()
}

// TestStolenEmptyQueueThenSetAside is the same by a self-wake, which must also keep the
// heap in order.
func TestStolenEmptyQueueThenSetAside(t *testing.T) {
	const q = int64(quantum)
	s := queue.New(q)
	a, b, c := s.Add(1, 0), s.Add(1, 0), s.Add(1, 0)
	for i, x := range []*queue.Queue{a, b, c} {
		s.Push(x, numbered(i, 1))
	}
	require.True(t, s.Pick(0))
	s.Next()
	require.Equal(t, 2, stealAll(s, 3))
	s.Renew(10 * q)
	require.True(t, s.Ready(b, numbered(9, queue.Started), s.Tick(), false))
	require.Equal(t, s.VirtualNow(), b.VirtualRuntime())
	s.Check()
}

// TestStolenEmptyLatencyQueuePreempts: emptied by a thief or not, a latency queue that
// becomes active during another's visit wants its turn.
func TestStolenEmptyLatencyQueuePreempts(t *testing.T) {
	const q = int64(quantum)
	s := queue.New(q)
	a, u := s.Add(1000, 0), s.Add(1, q/10)
	now := int64(0)
	s.Push(u, numbered(1, queue.Started))
	s.Push(u, numbered(2, 1))
	require.Equal(t, u, oneVisit(t, s, &now, q/2)) // u has a debt, so a is next, several times
	for i := range 3 {
		s.Push(a, numbered(10+i, queue.Started))
	}
	require.Equal(t, 1, stealAll(s, 2))
	require.True(t, s.Pick(now))
	require.Equal(t, a, s.Current())
	require.False(t, s.Preempt())
	s.Push(u, numbered(3, queue.Started))
	require.True(t, s.Preempt())
}

// TestThievesTakeEverything: a worker that is long in one task loses all of its unstarted
// ones, and not only those within a thief's first looks: what was stolen before must not
// be looked at again, whether it stood first or behind a task that cannot move.
func TestThievesTakeEverything(t *testing.T) {
	for _, first := range []uint32{1, queue.Started} {
		t.Run(fmt.Sprint("first=", first), func(t *testing.T) {
			const limit, all = 256, 10_000
			s := queue.New(int64(quantum))
			q := s.Add(1, 0)
			s.Push(q, numbered(0, first))
			for i := range all {
				s.Push(q, numbered(1+i, 1))
			}
			for range 2 * all {
				if steal(s, &queue.Cache{}, make([]queue.FIFO, 1), limit) == 0 {
					break
				}
			}
			require.LessOrEqual(t, s.Len(), 1)
		})
	}
}

// TestChargeLeavesTheFloor: time charged from outside does not use up the floor of the
// visit that is going on.
func TestChargeLeavesTheFloor(t *testing.T) {
	s := queue.New(int64(quantum))
	q := s.Add(1, 0)
	s.Push(q, numbered(1, queue.Started))
	require.True(t, s.Pick(0))
	s.Yielded()
	s.Charge(q, 1_000_000)
	s.EndVisit(100)
	require.Equal(t, uint64(1_000_000+queue.Floor)*queue.Scale, q.VirtualRuntime())
	require.Equal(t, queue.Counts{RunTime: 1_000_100, Visits: 1}, q.Counts())
}

// TestChargeOfAnIdleQueue: what a queue uses outside of a visit is a debt, also if it has
// been idle for long.
func TestChargeOfAnIdleQueue(t *testing.T) {
	s := queue.New(int64(quantum))
	a, b := s.Add(1, 0), s.Add(1, 0)
	now := int64(0)
	for range 1000 {
		s.Push(a, numbered(1, queue.Started))
		oneVisit(t, s, &now, int64(quantum))
	}
	s.Charge(b, int64(5*quantum))
	s.Push(b, numbered(2, queue.Started))
	require.Equal(t, s.VirtualNow()+uint64(5*quantum)*queue.Scale, b.VirtualRuntime())
}

// TestTickAdvancesWhenNothingIsActive: a round ends when nothing is left to run. Who
// ran before that and is woken after it is not reentrant.
func TestTickAdvancesWhenNothingIsActive(t *testing.T) {
	s := queue.New(int64(quantum))
	q := s.Add(1, 0)
	now := int64(0)
	s.Push(q, numbered(1, queue.Started))
	ran := s.Tick()
	oneVisit(t, s, &now, 10)
	require.False(t, s.Pick(now))
	s.Push(q, numbered(2, queue.Started)) // from outside
	require.True(t, s.Pick(now))
	s.Next()
	require.False(t, s.Ready(q, numbered(1, queue.Started), ran, false))
}

// TestStolenAsideIsForgotten: when a thief has taken what was set aside, the queue neither
// keeps the worker from being idle nor ends its tick.
func TestStolenAsideIsForgotten(t *testing.T) {
	movable := func(queue.Task) bool { return true }
	s := queue.New(int64(quantum))
	a, b := s.Add(100, 0), s.Add(1, 0)
	s.Push(b, numbered(2, queue.Started))
	now := int64(0)
	oneVisit(t, s, &now, 1000) // b has a debt, so that a would be next
	s.Push(a, numbered(1, queue.Started))
	require.True(t, s.Pick(now))
	e, _ := s.Next()
	require.True(t, s.Ready(a, e, s.Tick(), false))
	require.Equal(t, 1, s.TakeMovable(&queue.Cache{}, make([]queue.FIFO, 2), []int{9, 9}, movable))
	require.True(t, s.Idle())
	s.EndVisit(now)
	s.Push(b, numbered(3, queue.Started))
	tick := s.Tick()
	require.True(t, s.Pick(now))
	require.Equal(t, tick, s.Tick())
	s.Check()
}
