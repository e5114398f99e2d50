package lockstep_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// The tests of this file run on the clock of a bubble: a sleep in a task stands for work, and everything else takes no time. There are
// no helpers, so that a worker that slept with work in its queues would stop the bubble.

// Every look at the clock says that the quantum is over. That is not "nothing to do": both tasks go on.
func TestD17AlwaysPreempted(t *testing.T) {
	for _, locked := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := still(t, 1, lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b", lockstep.WithLatency(10*time.Microsecond)),
				lockstep.WithQuantum(10*time.Microsecond), lockstep.WithLockOSThread(locked))
			const steps = 1000
			from := time.Now()
			ended := make(chan struct{}, 2)
			release := hold(p, 1)
			for _, name := range []string{"a", "b"} {
				p.TaskQueue(name).Go(func() {
					for range steps {
						time.Sleep(time.Millisecond)
						for !lockstep.NeedYield() { // until the clock is read
						}
						lockstep.YieldIfNeeded()
					}
					ended <- struct{}{}
				})
			}
			release()
			<-ended
			<-ended
			require.Equal(t, 2*steps*time.Millisecond, time.Since(from), "the worker was never asleep")
			require.NoError(t, p.Close())
			s := p.Stats()
			require.GreaterOrEqual(t, s.Queues[1].YieldsForced+s.Queues[2].YieldsForced, uint64(2*steps-2*32))
		})
	}
}

// Between two steps of the work, a task that only yields is resumed once in a tick, for which it is charged the floor
// of 20 µs, and not as often as it likes.
func TestD19YieldLoopBesideWork(t *testing.T) {
	for _, yielders := range []int{1, 10} {
		synctest.Test(t, func(t *testing.T) {
			p := still(t, 1, lockstep.WithTaskQueue("yields"), lockstep.WithTaskQueue("works"))
			const steps = 100
			stop, turns, most, began := false, 0, 0, false
			from := time.Now()
			release := hold(p, 1)
			for range yielders {
				p.TaskQueue("yields").Go(func() {
					for !stop {
						turns++
						lockstep.Yield()
					}
				})
			}
			p.TaskQueue("works").Go(func() {
				for range steps {
					if began {
						most = max(most, turns)
					}
					began, turns = true, 0
					time.Sleep(time.Millisecond)
					lockstep.Yield()
				}
				stop = true
			})
			release()
			require.NoError(t, p.Close())
			require.LessOrEqual(t, most, 51*yielders, "a step of 1 ms buys 50 visits at 20 µs, in each of which a task runs once")
			require.Equal(t, steps*time.Millisecond, time.Since(from))
			s := p.Stats().Queues[1]
			require.InDelta(t, s.YieldsVoluntary+s.YieldsAlone, s.SetAside, float64(2*yielders), "they count as reentrant")
		})
	}
}

// busyCrowd are fifty tasks of 10 µs that never leave the worker idle until stop is set.
var busyCrowd = map[string]func(p *lockstep.Pool, stop *bool){
	"Yield": func(p *lockstep.Pool, stop *bool) {
		for range crowd {
			p.Go(func() {
				for !*stop {
					time.Sleep(crowdStep) //lockstep:allow sleep the test calls it in a bubble
					lockstep.Yield()
				}
			})
		}
	},
	"spawn": func(p *lockstep.Pool, stop *bool) {
		for range crowd {
			var next func()
			next = func() {
				time.Sleep(crowdStep) //lockstep:allow sleep the test calls it in a bubble
				if !*stop {
					p.Go(next)
				}
			}
			p.Go(next)
		}
	},
}

const (
	crowd     = 50
	crowdStep = 10 * time.Microsecond
	oneRound  = crowd * crowdStep
)

// What sleeps in the pool, and what comes from outside, has its turn within one round of the crowd after the worker has looked, which
// it does about 16 times a quantum of 1 ms while tasks are short.
func TestD20DueWithinOneRound(t *testing.T) {
	for name, start := range busyCrowd {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := still(t, 1)
				stop := false
				release := hold(p, 1)
				start(p, &stop)
				var late time.Duration
				const times = 20
				ended := make(chan struct{})
				p.Go(func() {
					defer close(ended)
					for range times {
						due := time.Now().Add(time.Millisecond)
						_ = lockstep.Sleep(bg, time.Millisecond)
						late = max(late, time.Since(due))
					}
				})
				release()
				for range times {
					time.Sleep(997 * time.Microsecond)
					due := time.Now()
					require.NoError(t, p.Run(bg, func(context.Context) error {
						late = max(late, time.Since(due))
						return nil
					}))
				}
				<-ended
				p.Go(func() { stop = true })
				require.NoError(t, p.Close())
				t.Log("at most late by", late)
				require.LessOrEqual(t, late, oneRound+time.Millisecond/16+crowdStep)
			})
		})
	}
}
