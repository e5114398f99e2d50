package chans_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// Tasks that wait for a later one hold no worker.
func TestD02TasksThatWaitForALaterOne(t *testing.T) {
	for _, n := range []int{1, 2} {
		// Without helpers: what waits in a channel needs no rescue.
		p := workers(t, n, lockstep.WithMaxThreads(0))
		c, ended := chans.New[int](0), make(chan bool, 8)
		for range 8 {
			p.Go(func() { _, ok := c.Get(); ended <- ok })
		}
		p.Go(c.Close)
		for range 8 {
			require.False(t, <-ended)
		}
	}
}

// The last look of who waits, and the first of who sends, come at the same time.
func TestD18WaitsJustAsAValueComes(t *testing.T) {
	random := seeded(t)
	for _, procs := range []int{1, 2, 4} {
		before := runtime.GOMAXPROCS(procs)
		for _, capacity := range []int{-1, 0, 1} {
			p, q := workers(t, 1), workers(t, 1)
			there, back := newChan(capacity), newChan(capacity)
			const rounds = 100
			spins := make([]int, rounds)
			for i := range spins {
				spins[i] = random.IntN(2000)
			}
			done := make(chan struct{}, 2)
			p.Go(func() {
				for v, ok := there.Get(); ok; v, ok = there.Get() {
					_ = back.Put(v)
				}
				done <- struct{}{}
			})
			q.Go(func() {
				for i, n := range spins {
					_ = there.Put(i)
					for range n { // takes time, and that is all
					}
					if v, _ := back.Get(); v != i {
						panic("another value")
					}
				}
				there.Close()
				done <- struct{}{}
			})
			<-done
			<-done
		}
		runtime.GOMAXPROCS(before)
	}
}

// A and B hand a token to and fro through channels; C, in the same queue, and a timer come through.
func TestD21PairInAChannelLetsOthersRun(t *testing.T) {
	for _, capacity := range []int{-1, 0, 1} {
		p := workers(t, 1)
		there, back := newChan(capacity), newChan(capacity)
		var passed, seen int // one worker: the switches order them
		ended := make(chan struct{}, 4)
		inTask(p, func() {
			p.Go(func() {
				for there.Put(1) == nil {
					passed++
					if _, ok := back.Get(); !ok {
						break
					}
				}
				ended <- struct{}{}
			})
			p.Go(func() {
				for {
					if _, ok := there.Get(); !ok || back.Put(1) != nil {
						break
					}
				}
				ended <- struct{}{}
			})
			p.Go(func() { seen = passed; ended <- struct{}{} })
			p.Go(func() {
				_ = lockstep.Sleep(bg, time.Millisecond)
				there.Close()
				back.Close()
				ended <- struct{}{}
			})
		})
		for range 4 {
			<-ended
		}
		require.Less(t, seen, 100)
		require.NotZero(t, passed)
	}
}

// A whole pool in a bubble: waits in channels count as blocked, so the bubble's time goes on.
func TestD29VirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := lockstep.New(lockstep.WithWorkers(2), lockstep.WithLockOSThread(!floating))
		require.NoError(t, err)
		begin := time.Now()
		c := chans.New[time.Duration](1)
		p.Go(func() {
			for range 3 {
				_ = lockstep.Sleep(bg, time.Hour)
				_ = c.Put(time.Since(begin))
			}
			c.Close()
		})
		synctest.Wait()
		want := time.Duration(0)
		for v := range c.All(bg) {
			want += time.Hour
			require.Equal(t, want, v)
			synctest.Wait()
		}
		require.Equal(t, 3*time.Hour, time.Since(begin))
		require.NoError(t, p.Close())
	})
}
