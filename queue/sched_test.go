package queue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// begin makes a scheduler with queues of these shares and starts its first visit.
func begin(t *testing.T, shares ...int) (*queue.Sched, []*queue.Queue) {
	s := queue.New(int64(quantum))
	var all []*queue.Queue
	for i, n := range shares {
		q := s.Add(n, 0)
		require.Equal(t, i, q.ID())
		require.Same(t, q, s.Queue(i))
		all = append(all, q)
	}
	s.Push(all[0], numbered(0, queue.Started))
	require.True(t, s.Pick(0))
	_, ok := s.Next()
	require.True(t, ok)
	return s, all
}

// steal takes at most limit tasks of each queue.
func steal(s *queue.Sched, c *queue.Cache, dst []queue.FIFO, limit int) int {
	limits := make([]int, len(dst))
	for i := range limits {
		limits[i] = limit
	}
	return s.TakeStealable(c, dst, limits)
}

// TestEmptySched: before any task there is nothing to run, and no call minds.
func TestEmptySched(t *testing.T) {
	s := queue.New(int64(quantum))
	for range 2 {
		require.False(t, s.Pick(0))
		_, ok := s.Next()
		require.False(t, ok)
		require.Nil(t, s.Current())
		require.True(t, s.Idle())
		require.False(t, s.Over(1<<40))
		require.False(t, s.Continues(0))
		s.Yielded()
		s.EndVisit(1)
		s.Renew(1)
		s.PushAll(s.Add(1, 0), &queue.FIFO{})
		require.Zero(t, steal(s, &queue.Cache{}, make([]queue.FIFO, 2), 10))
		s.Check()
	}
	require.Equal(t, uint64(1), queue.New(1).Tick(), "ticks begin at 1, so that 0 says: never ran")
}

// TestRenew: a task that is alone is charged visit by visit, so that whoever comes later
// finds the worker's virtual time where it belongs.
func TestRenew(t *testing.T) {
	s, q := begin(t, 1, 1)
	for i := range int64(100) {
		now := (i + 1) * int64(quantum)
		require.True(t, s.Idle())
		require.True(t, s.Over(now))
		s.Renew(now)
		require.False(t, s.Over(now))
		require.Same(t, q[0], s.Current())
		require.Equal(t, q[0].VirtualRuntime(), s.VirtualNow())
	}
	require.Equal(t, queue.Counts{RunTime: uint64(100 * quantum), Visits: 100}, q[0].Counts())
	s.Push(q[1], numbered(1, queue.Started))
	require.Equal(t, s.VirtualNow(), q[1].VirtualRuntime())
}

// TestLatencyShortensOthers: the goal of a queue that has ready tasks bounds the visits
// of the others, and not its own.
func TestLatencyShortensOthers(t *testing.T) {
	s := queue.New(int64(quantum))
	bulk, slow, fast := s.Add(1, 0), s.Add(1, int64(300*us)), s.Add(1, int64(100*us))
	require.Equal(t, []int64{0, 300_000, 100_000}, []int64{bulk.Latency(), slow.Latency(), fast.Latency()})
	now := int64(0)
	visit := func(want *queue.Queue, length time.Duration) {
		t.Helper()
		require.True(t, s.Pick(now))
		require.Same(t, want, s.Current())
		require.Equal(t, int64(length), s.VisitFor())
		require.False(t, s.Over(now+int64(length)-1))
		require.True(t, s.Over(now+int64(length)))
		now += int64(length)
		s.Next()
		s.EndVisit(now)
	}
	for _, q := range []*queue.Queue{bulk, bulk, slow, fast} {
		s.Push(q, numbered(1, queue.Started))
	}
	visit(bulk, 100*us)
	visit(slow, 100*us)
	visit(fast, quantum)
	visit(bulk, quantum)
}

// TestLatencyQueuePreempts when it becomes active during the visit of another
// queue, however it does, and not when it was active already or is being visited.
func TestLatencyQueuePreempts(t *testing.T) {
	for name, c := range map[string]struct {
		wake func(*queue.Sched, *queue.Queue)
		want bool
	}{
		"push": {func(s *queue.Sched, u *queue.Queue) { s.Push(u, numbered(1, 1)) }, true},
		"push all": {func(s *queue.Sched, u *queue.Queue) {
			var f queue.FIFO
			f.Push(&queue.Cache{}, numbered(1, 1))
			s.PushAll(u, &f)
		}, true},
		"ready":             {func(s *queue.Sched, u *queue.Queue) { s.Ready(u, numbered(1, 0), 0, false) }, true},
		"set aside":         {func(s *queue.Sched, u *queue.Queue) { s.Ready(u, numbered(1, 0), s.Tick(), false) }, false},
		"push to the other": {func(s *queue.Sched, u *queue.Queue) { s.Push(s.Queue(0), numbered(1, 1)) }, false},
		"nothing to push":   {func(s *queue.Sched, u *queue.Queue) { s.PushAll(u, &queue.FIFO{}) }, false},
		"between visits":    {func(s *queue.Sched, u *queue.Queue) { s.EndVisit(1); s.Push(u, numbered(1, 1)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := begin(t, 1)
			u := s.Add(1, int64(us))
			c.wake(s, u)
			require.Equal(t, c.want, s.Preempt())
			require.Equal(t, c.want, s.Over(0))
			s.EndVisit(1)
			require.False(t, s.Preempt(), "the end of the visit grants the wish")
		})
	}
	s := queue.New(int64(quantum))
	u := s.Add(1, int64(us))
	s.Push(u, numbered(1, 1))
	require.True(t, s.Pick(0))
	s.Next()
	s.Push(u, numbered(1, 1))
	require.False(t, s.Preempt(), "its own visit")
}

// TestPushAllKeepsOrder for short lists, which are copied, and long ones, which are spliced.
func TestPushAllKeepsOrder(t *testing.T) {
	s, q := begin(t, 1)
	var c queue.Cache
	want := 0
	for _, n := range []int{1, queue.CopyBelow - 1, queue.CopyBelow, 5, 1000, 1, 200} {
		var f queue.FIFO
		for range n {
			f.Push(&c, numbered(want, 1))
			want++
		}
		s.PushAll(q[0], &f)
		require.Zero(t, f.Len())
	}
	require.Equal(t, want, s.Len())
	for i := range want {
		e, ok := s.Next()
		require.True(t, ok)
		requireSame(t, numbered(i, 1), e)
	}
	require.True(t, s.Idle())
	spare := s.Spare()
	require.Greater(t, spare, 0)
	var d queue.Cache
	s.Recycle(&d)
	require.Equal(t, spare, s.Spare()+d.Segments())
	require.NotZero(t, d.Segments())
}

// TestTakeStealableIsHalf of each queue's tasks, rounded up, of those that may move, and
// no more than the limit.
func TestTakeStealableIsHalf(t *testing.T) {
	for _, c := range []struct{ pinned, free, limit, want int }{
		{0, 1, 99, 1}, {0, 2, 99, 1}, {0, 9, 99, 5}, {0, 9, 3, 3}, {5, 0, 99, 0}, {4, 4, 99, 4}, {1, 8, 99, 5}, {0, 9, 0, 0},
	} {
		s := queue.New(int64(quantum))
		q := s.Add(1, 0)
		for range c.pinned {
			s.Push(q, numbered(0, queue.Pinned|1))
		}
		for i := range c.free {
			s.Push(q, numbered(1+i, 1))
		}
		dst := make([]queue.FIFO, 1)
		var cache queue.Cache
		require.Equal(t, c.want, steal(s, &cache, dst, c.limit), "%+v", c)
		require.Equal(t, c.pinned+c.free-c.want, s.Len())
		for i := range c.want {
			e, _ := dst[0].Pop(&cache)
			requireSame(t, numbered(1+i, 1), e)
		}
		s.Check()
	}
}

// TestThiefTakesAll: a queue that a thief has emptied before its visit is passed over,
// the visit of another ends early.
func TestThiefTakesAll(t *testing.T) {
	s, q := begin(t, 1, 1)
	dst := make([]queue.FIFO, 2)
	s.Push(q[0], numbered(1, 1))
	s.Push(q[1], numbered(2, 1))
	require.Equal(t, 2, steal(s, &queue.Cache{}, dst, 10))
	_, ok := s.Next()
	require.False(t, ok)
	require.True(t, s.Idle())
	require.False(t, s.Continues(0))
	s.EndVisit(1)
	require.False(t, s.Pick(1))
	s.PushAll(q[1], &dst[1]) // given back
	require.True(t, s.Pick(1))
	require.Same(t, q[1], s.Current())
}
