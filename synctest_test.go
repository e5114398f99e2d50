package lockstep_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestD29WholeLifeOfAPoolInABubble(t *testing.T) {
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithLockOSThread(false)}, {lockstep.WithCapacity(5)}} {
		synctest.Test(t, func(t *testing.T) {
			from := time.Now()
			p := workers(t, 2, opts...)
			synctest.Wait() // returns while the workers are idle
			ctx := p.Context(bg)
			var sleepers []*lockstep.Task[time.Duration]
			for range 2 {
				sleepers = append(sleepers, lockstep.Spawn(ctx, func(ctx context.Context) (time.Duration, error) {
					err := lockstep.Sleep(ctx, time.Hour)
					return time.Since(from), err
				}))
			}
			synctest.Wait() // and while tasks sleep
			require.Zero(t, time.Since(from))
			var ran atomic.Int32
			for range 100 {
				v, err := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) {
					ran.Inc()
					g, _ := lockstep.NewGroup(ctx)
					for range 5 {
						g.Go(func() error { lockstep.Yield(); ran.Inc(); return nil })
					}
					return 1, g.Wait()
				}).Wait(bg)
				require.NoError(t, err)
				require.Equal(t, 1, v)
			}
			synctest.Wait()
			require.Equal(t, int32(600), ran.Load())
			require.Zero(t, time.Since(from), "none of this takes time")
			for _, s := range sleepers {
				at, err := s.Wait(bg)
				require.NoError(t, err)
				require.Equal(t, time.Hour, at)
			}
			require.NoError(t, p.Close())
			require.Equal(t, time.Hour, time.Since(from))
		})
	}
}

func TestMovedSectionsInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := time.Now()
		p := workers(t, 1, lockstep.WithBlockInPlace(true), lockstep.WithOverflow(2))
		var wg sync.WaitGroup
		for range 6 {
			wg.Add(1)
			p.Go(func() { defer wg.Done(); lockstep.BlockInPlace(func() { time.Sleep(time.Minute) }) })
		}
		wg.Wait()
		require.Equal(t, 3*time.Minute, time.Since(from), "two at a time")
		require.NoError(t, p.Close())
	})
}

// A native wait in a task counts as blocked too, so timers of the bubble go on.
func TestNativeWaitsInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2)
		from := time.Now()
		one, two := make(chan int), make(chan int)
		p.Go(func() { time.Sleep(time.Hour); one <- 1 })
		p.Go(func() { two <- 1 + <-one })
		require.Equal(t, 2, <-two)
		require.Equal(t, time.Hour, time.Since(from))
	})
}

func TestGroupTimesOutInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2)
		ctx, cancel := context.WithTimeout(p.Context(bg), time.Minute)
		defer cancel()
		g, ctx := lockstep.NewGroup(ctx)
		for i := range 10 {
			g.Go(func() error { return lockstep.Sleep(ctx, time.Duration(i+1)*time.Hour) })
		}
		from := time.Now()
		require.Equal(t, context.DeadlineExceeded, g.Wait())
		require.Equal(t, time.Minute, time.Since(from))
	})
}

// A worker in a native wait does not keep the other from what comes in.
func TestWorkerBesideABlockedOneTakesEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2)
		release := hold(p, 1)
		time.Sleep(time.Hour) // everything is asleep that will be
		from := time.Now()
		for range 500 {
			require.NoError(t, p.Run(bg, func(context.Context) error { return nil }))
			synctest.Wait()
		}
		t.Logf("500 calls one by one took %v of the bubble's time", time.Since(from))
		var wg sync.WaitGroup
		for range 500 {
			wg.Add(1)
			p.Go(wg.Done)
		}
		wg.Wait()
		t.Logf("and 500 at once up to %v", time.Since(from))
		release()
	})
}

func TestManyPoolsInOneBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pools []*lockstep.Pool
		for range 4 {
			pools = append(pools, workers(t, 1))
		}
		from := time.Now()
		var pass func(hop int)
		done := make(chan struct{})
		pass = func(hop int) {
			_ = lockstep.Sleep(bg, time.Second)
			if hop == 100 {
				close(done)
				return
			}
			pools[hop%4].Go(func() { pass(hop + 1) })
		}
		pools[3].Go(func() { pass(0) })
		<-done
		require.Equal(t, 101*time.Second, time.Since(from))
	})
}
