package pool_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
)

// The protocols between the threads of a pool, with points between their transitions: tasks stand for the threads. Each test says in one line what holds in
// all schedules. That nobody waits for ever is a part of each: a wake-up that is lost is a deadlock.

// steps tries schedules of body, for as long as LOCKSTEP_STRESS says, if it does.
func steps(t *testing.T, body func(t *steptest.T), opts ...steptest.Option) {
	t.Helper()
	opts = append(opts, steptest.Fine(), steptest.NoCorpus())
	if d, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS")); err == nil {
		opts = append(opts, steptest.For(d/20))
	}
	steptest.Run(t, body, opts...)
}

// all runs the functions as tasks and waits for them.
func all(fs ...func()) {
	var g lockstep.Group
	for _, f := range fs {
		g.Go(func() error { f(); return nil })
	}
	_ = g.Wait()
}

// threads starts the threads of x and returns what waits for their end.
func threads(x *pool.Threads, n int) (ended func()) {
	g := &lockstep.Group{}
	for i := range n {
		g.Go(func() error { x.Loop(i); return nil })
	}
	return func() { _ = g.Wait() }
}

// Every task that is accepted runs once, however injecting, waking and parking meet, and no thread sleeps on.
func TestStepInjectParkWake(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(1, 0)
		ended := threads(x, 1)
		accepted, ran, woken := 0, 0, 0
		wake := x.Started(0, func() { woken++ })
		inject := func() {
			for range 2 {
				if x.Inject(0, func() { ran++ }) {
					accepted++
				}
			}
		}
		all(inject, inject, wake)
		x.Close()
		ended()
		require.Equal(t, 4, accepted)
		require.Equal(t, accepted, ran)
		require.Equal(t, 1, woken)
		require.Zero(t, x.Awake())
		require.Zero(t, x.Parked())
	})
}

// A pool ends when no task is left and not before: every task that is accepted runs, also those that tasks spawn while it closes, and those on their way to a thief.
func TestStepShutdownLosesNothing(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(2, 0)
		ended := threads(x, 2)
		accepted, ran := 0, 0
		task := func() { require.False(t, x.Ended()); ran++ }
		wake := x.Started(1, task)
		inject := func() {
			for range 2 {
				if x.Inject(0, task) {
					accepted++
				}
			}
		}
		all(inject, x.Close, func() { accepted++; wake() })
		ended()
		require.True(t, x.Ended())
		require.Equal(t, accepted, ran)
		require.Zero(t, x.Awake())
		require.False(t, x.Inject(0, task))
	})
}

// A task that is stolen runs once, on one thread or the other.
func TestStepSteal(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(2, 0)
		ended := threads(x, 2)
		ran := map[int]int{}
		x.Inject(0, func() {
			for n := range 3 {
				x.Spawn(func() { ran[n]++ })
			}
			t.Point("in the middle of a task")
		})
		for n := range 3 {
			x.Inject(0, func() { ran[3+n]++ })
		}
		x.Close()
		ended()
		require.Equal(t, map[int]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, ran)
		require.Zero(t, x.Left(0)+x.Left(1))
	})
}

// What is behind a held worker's task is run by a helper, whenever it comes, and once.
func TestStepRescue(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(1, 1)
		ended := threads(x, 2)
		ran, held, free := 0, false, false
		behind := func() { ran++ }
		x.Inject(0, func() {
			held = true
			x.Spawn(behind)
			for ran < 3 { // it is held until what is behind it has run
				lockstep.Yield()
			}
			free = true
		})
		monitor := func() {
			for !held {
				lockstep.Yield()
			}
			for !x.Hold(0) {
				lockstep.Yield()
			}
			for !free {
				lockstep.Yield()
			}
			x.LetGo(0)
			onDuty, held, listed := x.Helping()
			require.Zero(t, onDuty+held+listed)
		}
		all(monitor, func() { x.Inject(0, behind) }, func() { x.Inject(0, behind) })
		require.Equal(t, 3, ran)
		x.Inject(0, behind)
		x.Close()
		ended()
		require.Equal(t, 4, ran)
	})
}

// A task that is woken while its worker is held goes on where tasks can move, once, on the worker or on a helper.
func TestStepRescueMovesWhatIsWoken(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(1, 1)
		x.Float()
		ended := threads(x, 2)
		ran, held, free := 0, false, false
		wakes := []func(){x.Started(0, func() { ran++ }), x.Started(0, func() { ran++ })}
		x.Inject(0, func() {
			for held = true; ran < len(wakes); {
				lockstep.Yield()
			}
			free = true
		})
		all(append(wakes, func() {
			for !held || !x.Hold(0) {
				lockstep.Yield()
			}
			for !free {
				lockstep.Yield()
			}
			x.LetGo(0)
		})...)
		x.Close()
		ended()
		require.Equal(t, len(wakes), ran)
		require.True(t, x.Ended())
	})
}

// What a worker that leaves has got is run by the others, and the pool ends without it.
func TestStepLeave(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(2, 0)
		ended := threads(x, 2)
		accepted, ran := 0, 0
		task := func() { ran++ }
		inject := func(i int) func() {
			return func() {
				for range 2 {
					if x.Inject(i, task) {
						accepted++
					}
				}
			}
		}
		all(inject(0), inject(1), func() { x.Leave(1) }, x.Close)
		ended()
		require.Equal(t, accepted, ran)
		require.True(t, x.Ended())
	})
}

// An alarm that is pending when its worker ends is pending after that, and Stop finds it wherever it is.
func TestStepAlarmHandedOver(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(2, 0)
		ended := threads(x, 2)
		var a pool.Alarm
		a.Init(func() { t.Error("it fires") }, false)
		x.Set(1, &a)
		all(func() {
			require.True(t, a.Pending())
			require.True(t, a.Stop())
			require.False(t, a.Pending())
			x.Set(1, &a)
			require.True(t, a.Pending())
		}, func() { x.Leave(1) })
		require.True(t, a.Pending())
		require.True(t, a.Stop())
		require.False(t, a.Stop())
		x.Close()
		ended()
	})
}

// A timer of a held worker fires, once, by the worker or by a helper, and neither sleeps on when one is set.
func TestStepTimerOfAHeldWorker(t *testing.T) {
	steps(t, func(t *steptest.T) {
		x := pool.NewThreads(1, 1)
		ended := threads(x, 2)
		var a, b pool.Alarm
		fired, held, rescued := 0, false, t.Choose(2) == 1
		a.Init(func() { fired++ }, false)
		b.Init(func() { fired++ }, false)
		x.Inject(0, func() {
			for held = true; rescued && fired < 2; {
				lockstep.Yield()
			}
		})
		all(func() { x.SetDue(0, &a) }, func() { x.SetDue(0, &b) }, func() {
			for !held {
				lockstep.Yield()
			}
			for rescued && !x.Hold(0) {
				lockstep.Yield()
			}
		})
		for fired < 2 {
			lockstep.Yield()
		}
		if rescued {
			x.LetGo(0)
		}
		require.False(t, a.Pending() || b.Pending() || a.Stop() || b.Stop())
		x.Close()
		ended()
		require.Equal(t, 2, fired)
	})
}
