package chans_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// A forced shutdown ends every wait: with a context it returns ErrShutdown, without one the task
// ends there; and the channels are as if nobody had waited.
func TestShutdownWhileParked(t *testing.T) {
	for _, locked := range []bool{true, false} {
		p, err := lockstep.New(lockstep.WithWorkers(2), lockstep.WithLockOSThread(locked))
		require.NoError(t, err)
		empty, full := chans.New[int](3), chans.New[int](0)
		native := make(chan int)
		var once chans.Oneshot[int]
		ring := chans.NewSPSC[int](1)
		waits := []func(ctx context.Context) error{
			func(ctx context.Context) error { _, err := empty.Receive(ctx); return err },
			func(ctx context.Context) error { return full.Send(ctx, 1) },
			func(ctx context.Context) error { _, err := once.Receive(ctx); return err },
			func(ctx context.Context) error { _, err := ring.Pop(ctx); return err },
			func(ctx context.Context) error { _, _, err := chans.ReceiveNative(ctx, native); return err },
			func(ctx context.Context) error { return chans.SendNative(ctx, native, 1) },
			func(ctx context.Context) error {
				_, err := chans.Select(ctx, chans.Recv(empty, nil), chans.Send(full, 2, nil))
				return err
			},
		}
		waits[5] = func(ctx context.Context) error { return chans.SendNative(ctx, make(chan int), 1) }
		begun, errs := make(chan struct{}, 50), make(chan error, 50)
		for i, wait := range waits {
			lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
				begun <- struct{}{}
				errs <- wait(ctx) // the task's context ends
				return 0, nil
			})
			if i == 2 || i == 3 {
				continue // one receiver at a time
			}
			p.Go(func() {
				begun <- struct{}{}
				errs <- wait(bg) // the wait is ended
			})
		}
		for range 2*len(waits) - 2 {
			<-begun
		}
		p.Go(func() {
			defer func() { errs <- lockstep.ErrShutdown }()
			begun <- struct{}{}
			empty.Get()
			panic("it returned")
		})
		p.Go(func() {
			defer func() { errs <- lockstep.ErrShutdown }()
			begun <- struct{}{}
			_ = full.Put(3)
			panic("it returned")
		})
		waiting(empty, 0, 5)
		waiting(full, 5, 0)
		ctx, cancel := context.WithCancel(bg)
		cancel()
		_ = p.Shutdown(ctx)
		require.NoError(t, p.Close())
		for range 2 * len(waits) {
			require.ErrorIs(t, <-errs, lockstep.ErrShutdown)
		}
		waiting(empty, 0, 0)
		waiting(full, 0, 0)
		require.NoError(t, empty.TrySend(1))
		require.Equal(t, 1, empty.Len())
		require.ErrorIs(t, full.TrySend(1), chans.ErrNotReady)
		ring.TryPush(1)
		v, ok := ring.TryPop()
		require.True(t, ok)
		require.Equal(t, 1, v)
	}
}

// What a task defers may use the cases again of the Select in which a forced shutdown has ended it.
func TestCasesAreFreeAfterAForcedShutdown(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(1), lockstep.WithLockOSThread(!floating))
	require.NoError(t, err)
	c := chans.New[int](0)
	got := make(chan any, 1)
	p.Go(func() {
		one := chans.Recv(c, nil)
		defer func() {
			defer func() { got <- recover() }()
			_, _ = chans.Select(bg, one, chans.After(1, nil))
		}()
		for {
			_, _ = chans.Select(bg, one)
		}
	})
	until(func() bool { _, receivers := chans.Waiting(c); return receivers == 1 })
	ended, cancel := context.WithCancel(bg)
	cancel()
	_ = p.Shutdown(ended)
	require.Nil(t, <-got)
}
