package lockstep_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// Timers that tasks of several workers and goroutines stop and set again at the same time: no wait returns
// before the time of the last setting, and none hangs.
func TestTimerStressSetFromEverywhere(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithLockOSThread(false)}} {
		p := workers(t, 2, opts...)
		timers := make([]*lockstep.Timer, 8)
		inTask(p, func(context.Context) {
			for i := range timers {
				timers[i] = lockstep.NewTimer(time.Duration(i) * time.Microsecond)
			}
		})
		work := func(id uint64) {
			rnd := rand.New(rand.NewPCG(seed, id))
			for range 100 {
				x := timers[rnd.IntN(len(timers))]
				switch rnd.IntN(4) {
				case 0:
					x.Stop()
				case 1:
					x.Reset(time.Duration(rnd.IntN(50)) * time.Microsecond)
				case 2:
					ctx, cancel := lockstep.WithTimeout(bg, time.Duration(rnd.IntN(100))*time.Microsecond)
					if at, err := x.Wait(ctx); err == nil && at.After(time.Now()) {
						t.Error("a time in the future")
					}
					cancel()
				case 3:
					own := lockstep.NewTimer(time.Duration(rnd.IntN(20)) * time.Microsecond)
					from := time.Now()
					d := time.Duration(rnd.IntN(30)) * time.Microsecond
					own.Reset(d)
					if at, err := own.Wait(bg); err != nil || at.Sub(from) < d {
						t.Error(at.Sub(from), d, err)
					}
				}
			}
		}
		g, _ := lockstep.NewGroup(p.Context(bg))
		for id := range uint64(8) {
			g.Go(func() error { work(id); return nil })
		}
		outside(func() { work(100) })
		require.NoError(t, g.Wait())
	}
}

// Each AfterFunc either runs or is stopped, never both, wherever it is stopped.
func TestTimerStressStopAgainstFiring(t *testing.T) {
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithLockOSThread(false)}} {
		p := workers(t, 2, opts...)
		var ran, stopped atomic.Int64
		g, _ := lockstep.NewGroup(p.Context(bg))
		const tasks, each = 4, 500
		for id := range tasks {
			g.Go(func() error {
				for i := range each {
					x := lockstep.AfterFunc(time.Duration(i%7)*time.Microsecond, func() { ran.Inc() })
					stop := func() {
						if x.Stop() {
							stopped.Inc()
						}
					}
					if (id+i)%5 == 0 {
						outside(stop)
					} else {
						lockstep.YieldIfNeeded()
						stop()
					}
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
		until(func() bool { return ran.Load()+stopped.Load() == tasks*each })
	}
}

// 100,000 timers of all kinds, half of them, the contexts mostly, cancelled, on a virtual clock.
func TestManyTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2)
		const n = 50_000
		var ran, ended atomic.Int32
		from := time.Now()
		for w := range 2 {
			p.Go(func() {
				for i := range n {
					d := time.Duration(i*7919%n/50+w) * time.Millisecond // many are equal, so that the clock takes few steps
					x := lockstep.AfterFunc(d, func() {
						ran.Inc()
						if got := time.Since(from); got != d {
							t.Error(got, d)
						}
					})
					ctx, cancel := lockstep.WithTimeout(bg, d+time.Hour)
					switch i % 40 {
					case 0:
						require.True(t, x.Stop(), "the worker has not looked at its timers yet")
						cancel()
					case 1:
						context.AfterFunc(ctx, func() { ended.Inc() })
					default:
						cancel()
					}
				}
				_ = lockstep.Sleep(bg, 3*time.Hour)
			})
		}
		require.NoError(t, p.Close())
		require.Equal(t, 3*time.Hour, time.Since(from))
		synctest.Wait()
		require.Equal(t, int32(2*n*39/40), ran.Load())
		require.Equal(t, int32(2*n/40), ended.Load())
	})
}

// Timers of a held worker go off on time, by a helper.
func TestTimersOfAHeldWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 1)
		from := time.Now()
		gate := make(chan struct{})
		var ticks, ran atomic.Int32
		ticker := make(chan *lockstep.Ticker, 1)
		p.Go(func() {
			ticker <- lockstep.NewTicker(time.Minute)
			lockstep.AfterFunc(time.Hour, func() { ran.Inc() })
			<-gate
		})
		x := <-ticker
		for range 90 {
			at, err := x.Wait(bg)
			require.NoError(t, err)
			ticks.Inc()
			late := at.Sub(from) - time.Duration(ticks.Load())*time.Minute
			require.GreaterOrEqual(t, late, time.Duration(0))
			require.Less(t, late, rescuedWithin)
		}
		require.Equal(t, int32(1), ran.Load())
		x.Stop()
		close(gate)
	})
}

// A forced shutdown ends waits for timers; what a task leaves of them goes on.
func TestForcedShutdownEndsWaitsForTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2)
		x, y := lockstep.NewTimer(time.Hour), lockstep.NewTicker(time.Hour)
		var errs [2]error
		var exited atomic.Int32
		p.Go(func() {
			defer exited.Inc()
			_, errs[0] = x.Wait(bg)
			_, _ = x.Wait(bg)
			t.Error("a task goes on after its end")
		})
		p.Go(func() {
			defer exited.Inc()
			_, errs[1] = y.Wait(bg)
			for {
				lockstep.Yield()
			}
		})
		synctest.Wait()
		force(t, p)
		require.Equal(t, [2]error{lockstep.ErrShutdown, lockstep.ErrShutdown}, errs)
		require.Equal(t, int32(2), exited.Load())
		_, err := x.Wait(bg)
		require.NoError(t, err)
		_, err = y.Wait(bg)
		require.NoError(t, err)
		y.Stop()
	})
}
