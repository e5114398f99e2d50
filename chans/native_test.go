package chans_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

func TestNative(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		start := []func(func()){p.Go, func(f func()) { go f() }}
		for i := range 100 {
			ch := make(chan any, i/4%3)
			got := make(chan any, 2)
			start[i%2](func() {
				v, ok, err := chans.ReceiveNative(bg, ch)
				got <- v
				require.True(t, ok)
				require.NoError(t, err)
			})
			start[i/2%2](func() { require.NoError(t, chans.SendNative(bg, ch, any(i))) })
			require.Equal(t, i, <-got)

			start[i%2](func() { require.NoError(t, chans.SendNative(bg, ch, nil)) })
			require.Nil(t, <-ch)

			start[i%2](func() {
				_, ok, err := chans.ReceiveNative(bg, ch)
				require.NoError(t, err)
				got <- ok
			})
			close(ch)
			require.Equal(t, false, <-got)
		}
	})
}

// Many waits share few goroutines, and none is left after the last.
func TestNativeWaitsShareGoroutines(t *testing.T) {
	p := workers(t, 2)
	inTask(p, func() {})
	const n = 2000
	cs := make([]chan int, n)
	var begun, sum atomic.Int64
	before := runtime.NumGoroutine()
	for i := range cs {
		cs[i] = make(chan int)
		p.Go(func() {
			begun.Inc()
			v, _, _ := chans.ReceiveNative(bg, cs[i])
			sum.Add(int64(v))
		})
	}
	until(func() bool { return begun.Load() == n })
	pollers := runtime.NumGoroutine() - before - n // each task has its coroutine
	require.LessOrEqual(t, pollers, n/64+16+10)
	for i, c := range cs {
		c <- i
	}
	until(func() bool { return sum.Load() == n*(n-1)/2 })
	until(func() bool { return chans.Pollers() == 0 })
}

// A context ends at the moment of a hand-over: what was received is returned, what was not is left.
func TestStressNativeContext(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		again(t, func() {
			cause := errors.New("enough")
			in, out := make(chan int), make(chan int)
			const n = 300
			var received, sent, got atomic.Int64
			all := &crowd{p: p}
			for range 4 {
				all.add(func() {
					for i := 0; ; i++ {
						ctx, cancel := context.WithCancelCause(bg)
						end := time.AfterFunc(time.Duration(i%10)*4*time.Microsecond, func() { cancel(cause) })
						v, ok, err := chans.ReceiveNative(ctx, in)
						end.Stop()
						cancel(nil)
						switch {
						case err != nil:
							if !errors.Is(err, cause) || v != 0 {
								panic("another error")
							}
						case !ok:
							return
						default:
							received.Add(int64(v))
						}
					}
				})
				all.add(func() {
					for i := range n {
						ctx, cancel := context.WithCancelCause(bg)
						end := time.AfterFunc(time.Duration(i%10)*4*time.Microsecond, func() { cancel(cause) })
						if chans.SendNative(ctx, out, 1) == nil {
							sent.Inc()
						}
						end.Stop()
						cancel(nil)
					}
				})
			}
			stop := make(chan struct{})
			drained := make(chan struct{})
			go func() {
				defer close(drained)
				for {
					select {
					case v := <-out:
						got.Add(int64(v))
					case <-stop:
						return
					}
				}
			}()
			for i := range n {
				in <- i
			}
			close(in)
			all.wg.Wait()
			close(stop)
			<-drained
			require.EqualValues(t, n*(n-1)/2, received.Load())
			require.Equal(t, sent.Load(), got.Load())
		})
	})
}

// What a pool in a bubble waits for is waited for in the bubble.
func TestNativeInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := lockstep.New(lockstep.WithWorkers(1), lockstep.WithLockOSThread(!floating))
		require.NoError(t, err)
		begin := time.Now()
		inTask(p, func() {
			_, ok, err := chans.ReceiveNative(bg, time.After(time.Minute))
			require.NoError(t, err)
			require.True(t, ok)
		})
		require.Equal(t, time.Minute, time.Since(begin))
		ctx, cancel := context.WithTimeout(bg, time.Hour)
		defer cancel()
		inTask(p, func() {
			_, _, err := chans.ReceiveNative(ctx, make(chan int))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			_, _, err = chans.ReceiveNative(ctx, (<-chan int)(nil))
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
		require.NoError(t, p.Close())
		time.Sleep(time.Second) // for the idle poller
	})
}
