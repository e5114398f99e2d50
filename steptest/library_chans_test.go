package steptest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Whatever the buffer, what one sends is received in that order, once.
func TestStepChannels(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		c := chans.Unbounded[int]()
		if n := t.Choose(3); n < 2 {
			c = chans.New[int](n)
		}
		senders := lockstep.Group{}
		for i := range 2 {
			senders.Go(func() error {
				for k := range 2 {
					if err := c.Send(t.Context(), 10*i+k); err != nil {
						return err
					}
				}
				return nil
			})
		}
		g := lockstep.Group{}
		var got []int
		for range 2 {
			g.Go(func() error {
				last := map[int]int{0: -1, 1: -1}
				for v := range c.All(t.Context()) {
					require.Greater(t, v%10, last[v/10])
					last[v/10] = v % 10
					got = append(got, v)
				}
				return nil
			})
		}
		require.NoError(t, senders.Wait())
		c.Close()
		require.NoError(t, g.Wait())
		slices.Sort(got)
		require.Equal(t, []int{0, 1, 10, 11}, got)
		require.ErrorIs(t, c.TrySend(1), chans.ErrClosed)
		require.Panics(t, c.Close)
	})
}

// Each case that can go ahead does in some schedule.
func TestStepSelect(t *testing.T) {
	require.Equal(t, []string{"a", "b", "c"}, comesTo(t, func(t *steptest.T) (s string) {
		a, b, c := chans.New[int](1), chans.New[int](1), chans.New[int](1)
		_, _ = a.Put(1), b.Put(2)
		_, err := chans.Select(t.Context(),
			chans.Recv(a, func(int, bool) { s = "a" }), chans.Recv(b, func(int, bool) { s = "b" }), chans.Send(c, 3, func() { s = "c" }))
		require.NoError(t, err)
		return s
	}))
	require.Equal(t, []string{"default", "received"}, comesTo(t, func(t *steptest.T) (s string) {
		c := chans.New[int](1)
		lockstep.Go(func() { _ = c.Put(1) })
		_, err := chans.Select(t.Context(), chans.Recv(c, func(int, bool) { s = "received" }), chans.Default(func() { s = "default" }))
		require.NoError(t, err)
		return s
	}))
	require.Equal(t, []string{"late", "received"}, comesTo(t, func(t *steptest.T) (s string) {
		c := chans.New[int](0)
		began := t.Now()
		lockstep.Go(func() { _, _ = c.Get() })
		lockstep.Go(func() { _ = lockstep.Sleep(t.Context(), time.Second); _ = c.TrySend(1) })
		_, err := chans.Select(t.Context(), chans.Recv(c, func(int, bool) { s = "received" }), chans.After(time.Second, func() { s = "late" }))
		require.NoError(t, err)
		require.Equal(t, 1, since(t, began))
		lockstep.Go(func() { _ = c.Put(1) }) // for the one who has not got any
		return s
	}, steptest.EarlyTimers(false), steptest.AllowLeaks()))
}

// Two selects that could serve each other do, once.
func TestStepSelectsMeet(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		a, b := chans.New[int](0), chans.New[int](0)
		sent, received := 0, 0
		g := lockstep.Group{}
		for range 2 {
			g.Go(func() error {
				_, err := chans.Select(t.Context(),
					chans.Send(a, 1, func() { sent++ }), chans.Recv(b, func(int, bool) { received++ }),
					chans.Send(b, 1, func() { sent++ }), chans.Recv(a, func(int, bool) { received++ }))
				return err
			})
		}
		require.NoError(t, g.Wait())
		require.Equal(t, 1, sent)
		require.Equal(t, 1, received)
	})
}

func TestStepOneshot(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var o chans.Oneshot[int]
		sends := t.Choose(2) == 1
		lockstep.Go(func() {
			defer o.Close()
			if sends {
				o.Send(7)
			}
		})
		v, err := o.TryReceive()
		if err == chans.ErrNotReady {
			v, err = o.Receive(t.Context())
		}
		if sends {
			require.NoError(t, err)
			require.Equal(t, 7, v)
		} else {
			require.ErrorIs(t, err, chans.ErrClosed)
		}
	})
}

func TestStepSPSC(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		r := chans.NewSPSC[int](2)
		lockstep.Go(func() {
			for i := range 5 {
				require.NoError(t, r.Push(t.Context(), i))
			}
			r.Close()
		})
		var got []int
		for v, err := r.Pop(t.Context()); err == nil; v, err = r.Pop(t.Context()) {
			got = append(got, v)
		}
		require.Equal(t, []int{0, 1, 2, 3, 4}, got)
	})
}

// Native channels between tasks are fine in ReceiveNative and SendNative.
func TestStepNative(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		c, full := make(chan int), make(chan int, t.Choose(2)) // also without a buffer
		var wg tasksync.WaitGroup
		sum := 0
		for range 2 {
			wg.Go(func() {
				for {
					v, ok, err := chans.ReceiveNative(t.Context(), full)
					require.NoError(t, err)
					if !ok {
						return
					}
					sum += v
				}
			})
		}
		lockstep.Go(func() {
			for i := range 3 {
				require.NoError(t, chans.SendNative(t.Context(), full, i+1))
			}
			close(full)
			close(c)
		})
		_, ok, err := chans.ReceiveNative(t.Context(), c)
		require.NoError(t, err)
		require.False(t, ok)
		wg.Wait()
		require.Equal(t, 6, sum)
	})
}
