package chans_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
)

// The value of a Oneshot is received once, by the Receive that the Send meets or by a later one.
func TestStepOneshotDelivers(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var o chans.Oneshot[int]
		next := chans.New[int](0)
		ctx, cancel := context.WithCancel(bg)
		got := 0
		receive := func() {
			v, err := o.Receive(ctx)
			for range 2 {
				if err == nil {
					break
				}
				require.ErrorIs(t, err, context.Canceled)
				require.Zero(t, v)
				v, err = o.Receive(ctx)
			}
			if err != nil {
				v, err = o.Receive(bg)
			}
			require.NoError(t, err)
			got = v
			v, err = next.Receive(bg) // which no late wake ends
			require.NoError(t, err)
			require.Equal(t, 8, v)
		}
		try := func() {
			v, err := o.TryReceive()
			for err == chans.ErrNotReady { //nolint:errorlint // the very value
				lockstep.Yield()
				v, err = o.TryReceive()
			}
			require.NoError(t, err)
			got = v
			next.Get()
		}
		all([]func(){receive, try}[t.Choose(2)], cancel, func() { o.Send(7); o.Close(); require.NoError(t, next.Put(8)) })
		require.Equal(t, 7, got)
		_, err := o.Receive(bg)
		require.ErrorIs(t, err, chans.ErrClosed)
		require.Panics(t, func() { o.Send(8) })
	})
}

// Who waits for a Oneshot learns that it was closed.
func TestStepOneshotCloses(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var o chans.Oneshot[int]
		next := chans.New[int](0)
		ctx, cancel := context.WithCancel(bg)
		all(func() {
			if _, err := o.Receive(ctx); err != chans.ErrClosed { //nolint:errorlint // the very value
				require.ErrorIs(t, err, context.Canceled)
				_, err = o.Receive(bg)
				require.ErrorIs(t, err, chans.ErrClosed)
			}
			v, ok := next.Get() // which no late wake ends
			require.True(t, ok)
			require.Equal(t, 8, v)
		}, func() { o.Close(); require.NoError(t, next.Put(8)) }, cancel)
		require.Panics(t, o.Close)
	})
}

// What one pushes the other pops, in order, until the close, with waits on both sides that may be given up.
func TestStepSPSCDelivers(t *testing.T) {
	steps(t, func(t *steptest.T) {
		r := chans.NewSPSC[int](1 + t.Choose(2))
		const n = 5
		ctx, cancel := context.WithCancel(bg)
		some := t.Choose(3)
		push := func() {
			defer r.Close()
			for i := 0; i < n; i++ {
				if some == 1 && i < n-1 {
					i += r.PushSome([]int{i, i + 1})
				}
				if i < n && r.Push(ctx, i) != nil {
					require.NoError(t, r.Push(bg, i))
				}
			}
		}
		pop := func() {
			i := 0
			for {
				vs := [2]int{}
				if some == 2 {
					for _, v := range vs[:r.PopSome(vs[:])] {
						require.Equal(t, i, v)
						i++
					}
				}
				v, err := r.Pop(ctx)
				if err == context.Canceled { //nolint:errorlint // the very value
					v, err = r.Pop(bg)
				}
				if err != nil {
					require.ErrorIs(t, err, chans.ErrClosed)
					break
				}
				require.Equal(t, i, v)
				i++
			}
			require.Equal(t, n, i)
		}
		all(push, pop, []func(){cancel, func() {}}[t.Choose(2)])
		require.Zero(t, r.Len())
		require.ErrorIs(t, r.Push(bg, 1), chans.ErrClosed)
		require.Panics(t, r.Close)
	})
}

// A forced shutdown ends the waits of both sides, and what was pushed is there for the next who pops.
func TestStepSPSCAfterForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		r := chans.NewSPSC[int](1)
		pushed, popped := 0, 0
		p.Go(func() {
			for r.Push(bg, pushed) == nil {
				pushed++
			}
		})
		p.Go(func() {
			for {
				v, err := r.Pop(bg)
				if err != nil {
					return
				}
				require.Equal(t, popped, v)
				if popped++; popped == 3 {
					return
				}
			}
		})
		lockstep.Yield()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		require.NoError(t, p.Shutdown(ctx))
		require.Equal(t, pushed-popped, r.Len())
		for ; popped < pushed; popped++ {
			v, ok := r.TryPop()
			require.True(t, ok)
			require.Equal(t, popped, v)
		}
	}, steptest.EarlyTimers(false))
}
