package lockstep_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// greedy are loops of a task, or of tasks that start one another, that never leave their queue empty.
var greedy = map[string]func(q *lockstep.TaskQueue, stopped func() bool){
	"Yield": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 10 {
			q.Go(func() {
				for !stopped() {
					lockstep.Yield()
				}
			})
		}
	},
	"YieldIfNeeded": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 10 {
			q.Go(func() {
				for !stopped() {
					lockstep.YieldIfNeeded()
				}
			})
		}
	},
	"NeedYield": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 3 {
			q.Go(func() {
				for !stopped() {
					if lockstep.NeedYield() {
						lockstep.Yield()
					}
				}
			})
		}
	},
	"spawn": func(q *lockstep.TaskQueue, stopped func() bool) {
		var next func()
		next = func() {
			if !stopped() {
				q.Go(next)
			}
		}
		q.Go(next)
	},
	"spawn and Sleep": func(q *lockstep.TaskQueue, stopped func() bool) {
		var next func()
		next = func() {
			if !stopped() {
				q.Go(next)
				_ = lockstep.Sleep(bg, 1000)
			}
		}
		q.Go(next)
	},
	"spawn and Yield": func(q *lockstep.TaskQueue, stopped func() bool) {
		var next func()
		next = func() {
			if !stopped() {
				q.Go(next)
				lockstep.Yield()
			}
		}
		q.Go(next)
	},
	"spawn and Wait": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 2 {
			q.Go(func() {
				for !stopped() {
					_, _ = lockstep.Spawn(q.Context(bg), func(context.Context) (int, error) { lockstep.Yield(); return 0, nil }).Wait(bg)
				}
			})
		}
	},
	"short sleeps": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 50 {
			q.Go(func() {
				for !stopped() {
					_ = lockstep.Sleep(bg, 1)
				}
			})
		}
	},
	"Run in another queue": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 3 {
			q.Go(func() {
				for !stopped() {
					_ = q.Pool().TaskQueue("third").Run(bg, func(context.Context) error { return nil })
				}
			})
		}
	},
	"inline sections": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 3 {
			q.Go(func() {
				for !stopped() {
					lockstep.BlockInPlace(nothing)
					lockstep.Yield()
				}
			})
		}
	},
	"moved sections": func(q *lockstep.TaskQueue, stopped func() bool) {
		for range 3 {
			q.Go(func() {
				for !stopped() {
					lockstep.BlockInPlace(nothing, move)
				}
			})
		}
	},
}

// Whatever one queue does, as long as its tasks give way the other queue, timers and what comes
// from outside have their turns.
func TestGreedyQueueStarvesNobody(t *testing.T) {
	for name, start := range greedy {
		t.Run(name, func(t *testing.T) {
			p := still(t, 1, lockstep.WithTaskQueue("greedy"), lockstep.WithTaskQueue("modest"), lockstep.WithTaskQueue("third"))
			modest := p.TaskQueue("modest")
			var stop atomic.Bool
			start(p.TaskQueue("greedy"), stop.Load)
			turns, sleeps := 0, 0
			for range 20 {
				modest.Go(func() {
					for range 20 {
						turns++
						lockstep.Yield()
					}
				})
			}
			modest.Go(func() {
				for ; sleeps < 20; sleeps++ {
					_ = lockstep.Sleep(bg, 100_000)
				}
			})
			for range 20 {
				require.NoError(t, modest.Run(bg, func(context.Context) error { return nil }))
			}
			until(func() bool { return modest.Stats().Finished == 41 })
			stop.Store(true)
			require.NoError(t, p.Close())
			require.Equal(t, 400, turns)
			require.Equal(t, 20, sleeps)
		})
	}
}
