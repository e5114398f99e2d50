package lockstep_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestEveryVerbAfterClose(t *testing.T) {
	p := workers(t, 2)
	useDefault(t, p)
	ran := func() { t.Error("a task ran after Close") }
	require.NoError(t, p.Close())
	text := "lockstep: Go on a closed pool, like a send on a closed channel; use TryGo or Submit where that may happen"
	require.Equal(t, text, panicOf(func() { p.Go(ran) }))
	require.Equal(t, text, panicOf(func() { lockstep.Go(ran) }))
	require.Equal(t, text, panicOf(func() { p.TaskQueue("default").Go(ran) }))
	require.False(t, p.TryGo(ran))
	require.Equal(t, lockstep.ErrClosed, p.Submit(bg, ran))
	_, err := lockstep.Spawn(bg, func(context.Context) (int, error) { ran(); return 0, nil }).Wait(bg)
	require.Equal(t, lockstep.ErrClosed, err)
	require.NoError(t, p.TaskQueue("default").SetShares(7))
	require.Equal(t, 7, p.Stats().Queues[0].Shares)
}

// untilClosed waits natively until p refuses tasks from outside.
func untilClosed(p *lockstep.Pool) {
	outside(func() { until(func() bool { return p.Submit(bg, nothing) == lockstep.ErrClosed }) })
}

func nothing() {}

func TestAcceptedTasksMayStillStartChildren(t *testing.T) {
	for name, opts := range map[string][]lockstep.Option{
		"plain": nil, "bounded": {lockstep.WithCapacity(1)}, "floating": {lockstep.WithLockOSThread(false)},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers(t, 1, opts...)
			var ran atomic.Int32
			var grow func(n int)
			grow = func(n int) {
				ran.Inc()
				if n == 0 {
					return
				}
				p.Go(func() { grow(n - 1) })
				lockstep.Yield()
				if err := p.Submit(bg, func() { grow(n - 1) }); err != nil {
					t.Error(err)
				}
				if _, err := lockstep.Spawn(bg, func(context.Context) (int, error) { return n, nil }).Wait(bg); err != nil {
					t.Error(err)
				}
			}
			p.Go(func() { untilClosed(p); grow(8) })
			require.NoError(t, p.Close())
			require.Equal(t, int32(1<<9-1), ran.Load())
		})
	}
}

// Tasks that wait for room when Close comes, to start children, still get it.
func TestCloseWhileTasksWaitForRoom(t *testing.T) {
	p := workers(t, 1, lockstep.WithCapacity(2))
	var ran atomic.Int32
	gate := make(chan struct{})
	for i := range 5 {
		p.Go(func() {
			if i == 0 {
				defer close(gate)
			}
			for range 100 {
				p.Go(func() { ran.Inc() })
			}
		})
	}
	p.Go(func() { untilClosed(p) })
	require.NoError(t, p.Close())
	<-gate
	require.Equal(t, int32(500), ran.Load())
}

func TestD13CloseManyTimes(t *testing.T) {
	for _, used := range []bool{true, false} {
		for _, opts := range [][]lockstep.Option{nil, {lockstep.WithLockOSThread(false)}} {
			p := workers(t, 4, append(opts, lockstep.WithOverflow(2))...)
			if used {
				for range 10 {
					p.Go(func() { lockstep.BlockInPlace(nothing, lockstep.WithBlockInPlace(true)) })
				}
			}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			ended, cancel := context.WithCancel(bg)
			cancel()
			for range 10 { // the pool is closed; it does not matter that the context has ended
				require.NoError(t, p.Shutdown(ended))
			}
			require.NoError(t, p.Close())
		}
	}
}

func TestCloseFromATaskOfThePoolPanics(t *testing.T) {
	p := workers(t, 1)
	const text = "lockstep: Close or Shutdown from a task of the pool, which would wait for itself; call it from a goroutine"
	inTask(p, func(ctx context.Context) {
		require.Equal(t, text, panicOf(func() { _ = p.Close() }))
		require.Equal(t, text, panicOf(func() { _ = p.Shutdown(ctx) }))
		go func() { _ = p.Close() }() // the advice in the text works
		untilClosed(p)
	})
	require.NoError(t, p.Close())
}

func TestCloseWaitsForSleepersAndWaiters(t *testing.T) {
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithLockOSThread(false)}} {
		p := workers(t, 2, opts...)
		var ended atomic.Int32
		for i := range 200 {
			p.Go(func() {
				_ = lockstep.Sleep(bg, time.Duration(i%5)*time.Millisecond)
				lockstep.BlockInPlace(runtime.Gosched, lockstep.WithBlockInPlace(i%2 == 0))
				ended.Inc()
			})
		}
		require.NoError(t, p.Close())
		require.Equal(t, int32(200), ended.Load())
	}
}
