package steptest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// straying are bodies that depend on something that is not in the schedule.
var straying = map[string]func() func(t *steptest.T){
	"the order of a map": func() func(t *steptest.T) {
		return func(*steptest.T) {
			locks := map[int]*tasksync.Mutex{}
			for i := range 8 {
				locks[i] = &tasksync.Mutex{}
			}
			for i, mu := range locks {
				if mu.Lock(); i%2 == 0 {
					mu.Unlock()
				}
			}
		}
	},
	"random numbers": func() func(t *steptest.T) {
		return func(t *steptest.T) {
			for range rand.IntN(10) {
				t.Point("so often")
			}
		}
	},
	"state that is left": func() func(t *steptest.T) {
		n := 0
		return func(t *steptest.T) {
			if n++; n%2 == 0 {
				t.Point("every other time")
			}
		}
	},
	"a failure by chance": func() func(t *steptest.T) {
		return func(t *steptest.T) { require.Less(t, rand.IntN(100), 98) }
	},
	"a goroutine that wakes": func() func(t *steptest.T) {
		n := 0
		return func(t *steptest.T) {
			c, done := chans.New[int](1), make(chan int)
			if n++; n%2 == 0 { // so that it is one that comes in time, and the next one does not
				go func() { _ = c.Put(1); close(done) }()
				<-done
			} else {
				defer close(done)
				go func() { <-done; _ = c.TrySend(1) }()
				lockstep.Go(func() { _ = c.Put(1) })
			}
			c.Get()
		}
	},
}

func TestStraysAreReported(t *testing.T) {
	for name, make := range straying {
		t.Run(name, func(t *testing.T) {
			body := make()
			r := outcome("TestX", func(t *steptest.T) {
				for range 10 { // so many schedules that some are looked at twice
					t.Choose(10)
				}
				body(t)
			})
			require.True(t, r.failed)
			require.Contains(t, r.text, "uncontrolled nondeterminism: the same schedule has led to different runs")
			require.Contains(t, r.text, "Use T.Choose, T.Now and tasks")
		})
	}
}

// Addresses, and what was used in other schedules and tests before, make no difference: the same token leads to the same run.
func TestRunsAreTheSame(t *testing.T) {
	body := func(t *steptest.T) {
		p := t.Pool()
		k := lockstep.NewKeyed[string](p.TaskQueue("default"))
		c := chans.New[int](1)
		for i := range 3 {
			k.Go("a", func() { _ = c.Put(i) })
			k.Go(string(rune('b'+i)), func() { _ = c.TrySend(i); lockstep.YieldIfNeeded() })
		}
		sum := 0
		for range 3 {
			_, err := chans.Select(t.Context(), chans.Recv(c, func(v int, _ bool) { sum += v }))
			require.NoError(t, err)
		}
		require.Less(t, sum, 6) // which is true of some schedules
		require.NoError(t, p.Close())
	}
	first := outcome("TestX", body)
	require.True(t, first.failed)
	for range 3 {
		again := outcome("TestX", body)
		require.Equal(t, withoutTimes(first.text), withoutTimes(again.text))
	}
}
