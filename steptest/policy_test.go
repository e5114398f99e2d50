package steptest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
)

// busy keeps queue q busy with n tasks that compute for slice and yield, until stop.
func busy(t *steptest.T, q *lockstep.TaskQueue, n int, slice time.Duration, stop *bool) {
	for range n {
		q.Go(func() {
			for !*stop {
				t.Work(slice)
				lockstep.Yield()
			}
		})
	}
}

// Queues get what their shares say, however many tasks they have and however often these yield.
func TestPolicyShares(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithWorkers(1),
			lockstep.WithTaskQueue("a", lockstep.WithShares(100)),
			lockstep.WithTaskQueue("b", lockstep.WithShares(200)),
			lockstep.WithTaskQueue("c", lockstep.WithShares(1000)))
		stop := false
		busy(t, p.TaskQueue("a"), 6, 300*time.Microsecond, &stop)
		busy(t, p.TaskQueue("b"), 2, 50*time.Microsecond, &stop)
		busy(t, p.TaskQueue("c"), 2, 700*time.Microsecond, &stop)
		for t.Now().Before(start.Add(time.Second)) {
			lockstep.Yield()
		}
		stop = true
		t.RequireShares(p, 0.05, "a", "b", "c")
	}, steptest.Policy(), steptest.Schedules(3), steptest.MaxSteps(1_000_000))
}

var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Unequal shares are told: here the program itself keeps one queue from its due.
func TestPolicyTellsUnequalShares(t *testing.T) {
	r := outcome("TestUnequal", func(t *steptest.T) {
		p := t.Pool(lockstep.WithWorkers(1), lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b"))
		stop := false
		busy(t, p.TaskQueue("a"), 1, 50*time.Millisecond, &stop) // no yield for fifty quanta, and then it ends
		busy(t, p.TaskQueue("b"), 1, time.Millisecond, &stop)
		for t.Now().Before(start.Add(60 * time.Millisecond)) {
			lockstep.Yield()
		}
		stop = true
		t.RequireShares(p, 0.05, "a", "b")
	}, steptest.Policy(), steptest.Schedules(3))
	require.True(t, r.failed)
	require.Contains(t, r.text, "unequal shares")
}

// Tasks that only yield do not keep a task of another queue from running: it runs before any of them has had a third turn.
func TestPolicyYieldersDoNotStarve(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithWorkers(1), lockstep.WithTaskQueue("work"))
		turns, done := make([]int, 5), false
		for i := range turns {
			p.Go(func() {
				for !done {
					turns[i]++
					lockstep.Yield()
				}
			})
		}
		var before []int
		t.Atomic(func() {
			before = slices.Clone(turns)
			p.TaskQueue("work").Go(func() { done = true })
		})
		for !done {
			lockstep.Yield()
		}
		for i, n := range turns {
			require.LessOrEqual(t, n-before[i], 2)
		}
	}, steptest.Policy(), steptest.Schedules(50))
}

// A queue with a latency goal is served when the running task next asks whether to yield.
func TestPolicyLatency(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithWorkers(1),
			lockstep.WithTaskQueue("bulk"),
			lockstep.WithTaskQueue("urgent", lockstep.WithLatency(200*time.Microsecond)))
		var asked, served time.Time
		p.TaskQueue("bulk").Go(func() {
			for i := range 100 {
				if i == 10 {
					asked = t.Now()
					p.TaskQueue("urgent").Go(func() { served = t.Now() })
				}
				t.Work(10 * time.Microsecond)
				lockstep.YieldIfNeeded()
			}
		})
		require.NoError(t, p.Close())
		require.LessOrEqual(t, served.Sub(asked), 10*time.Microsecond)
	}, steptest.Policy(), steptest.Schedules(20))
}
