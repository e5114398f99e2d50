package chans_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

func TestSelectTakesWhatIsReady(t *testing.T) {
	a, b := chans.New[int](1), chans.New[string](1)
	require.NoError(t, b.Put("b"))
	var got any
	cases := []chans.Case{
		chans.Recv(a, func(v int, ok bool) { got = v }),
		chans.Recv(b, func(v string, ok bool) { require.True(t, ok); got = v }),
		chans.Default(func() { got = "default" }),
	}
	i, err := chans.Select(bg, cases...)
	require.NoError(t, err)
	require.Equal(t, 1, i)
	require.Equal(t, "b", got)
	i, err = chans.Select(bg, cases...)
	require.NoError(t, err)
	require.Equal(t, 2, i)
	require.Equal(t, "default", got)

	sent := false
	i, err = chans.Select(bg, chans.Recv(b, nil), chans.Send(a, 7, func() { sent = true }))
	require.NoError(t, err)
	require.Equal(t, 1, i)
	require.True(t, sent)
	v, _ := a.Get()
	require.Equal(t, 7, v)

	a.Close()
	i, err = chans.Select(bg, chans.Recv(a, func(v int, ok bool) { require.False(t, ok) }))
	require.NoError(t, err)
	require.Zero(t, i)
	i, err = chans.Select(bg, chans.Send(a, 1, func() { t.Error("not sent") }))
	require.ErrorIs(t, err, chans.ErrClosed)
	require.Zero(t, i)
}

func TestSelectWaits(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		a, b, full := chans.New[int](0), chans.New[int](2), chans.New[int](1)
		require.NoError(t, full.Put(0))
		type end struct {
			i, v int
			err  error
		}
		ends := make(chan end)
		one := func(ctx context.Context) {
			var e end
			take := func(v int, _ bool) { e.v = v }
			e.i, e.err = chans.Select(ctx, chans.Recv(a, take), chans.Recv(b, take), chans.Send(full, 5, nil), chans.Recv[int](nil, nil))
			ends <- e
		}
		start := []func(func()){p.Go, func(f func()) { go f() }}
		for i := range 20 {
			ctx, cancel := context.WithCancelCause(bg)
			start[i%2](func() { one(ctx) })
			waiting(a, 0, 1)
			waiting(b, 0, 1)
			waiting(full, 1, 0)
			switch i / 2 % 5 {
			case 0:
				require.NoError(t, a.TrySend(i))
				require.Equal(t, end{0, i, nil}, <-ends)
			case 1:
				require.NoError(t, b.Put(i))
				require.Equal(t, end{1, i, nil}, <-ends)
			case 2:
				v, err := full.TryReceive()
				require.NoError(t, err)
				require.Zero(t, v)
				require.Equal(t, end{2, 0, nil}, <-ends)
				full.Get()
				require.NoError(t, full.Put(0))
			case 3:
				cause := errors.New("enough")
				cancel(cause)
				require.Equal(t, end{-1, 0, cause}, <-ends)
			case 4:
				closing := chans.New[int](0)
				go func() { one(ctx) }()
				waiting(a, 0, 2)
				_, err := chans.Select(bg, chans.Send(closing, 1, nil), chans.Send(a, 3, nil))
				require.NoError(t, err)
				require.Equal(t, 3, (<-ends).v)
				cancel(nil)
				<-ends
			}
			cancel(nil)
			waiting(a, 0, 0)
			waiting(b, 0, 0)
			waiting(full, 0, 0)
			require.Zero(t, b.Len())
		}
	})
}

// Two selects can serve each other, in either direction, and neither serves itself.
func TestSelectsMeet(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		a, b := chans.New[int](0), chans.New[int](0)
		ctx, stop := context.WithCancel(bg)
		defer stop()
		all := &crowd{p: p}
		var rounds atomic.Int64
		sum := make([]int, 4)
		for i := range 4 {
			all.add(func() {
				for n := 0; ; n++ {
					got := 0
					x, y := a, b
					if i%2 == 1 {
						x, y = b, a
					}
					_, err := chans.Select(ctx,
						chans.Send(x, 1, func() { got = -1 }),
						chans.Recv(y, func(v int, _ bool) { got = v }),
						chans.Recv(x, func(v int, _ bool) { got = v }),
						chans.Send(y, 1, func() { got = -1 }))
					if (err == nil) != (got != 0) {
						panic("both or neither")
					}
					if sum[i] += got; err != nil {
						return
					}
					if rounds.Inc() == 2000 {
						stop()
					}
					if n%10 == 0 {
						lockstep.Yield()
					}
				}
			})
		}
		all.wg.Wait()
		require.Zero(t, sum[0]+sum[1]+sum[2]+sum[3], "each send met a receive")
	})
}

// Among cases that are always ready each is chosen about equally often; the order in which they
// are written does not matter. The choice is a function of the channel, so this always gives the same.
func TestSelectIsFair(t *testing.T) {
	for _, ready := range []int{2, 3, 5} {
		var cases []chans.Case
		for i := range 6 {
			c := chans.New[int](1)
			if i < ready {
				require.NoError(t, c.Put(0))
			}
			cases = append(cases, chans.Recv(c, func(int, bool) { require.NoError(t, c.Put(0)) }))
		}
		const n = 6000
		counts := make([]int, 6)
		for range n {
			i, err := chans.Select(bg, cases...)
			require.NoError(t, err)
			counts[i]++
		}
		for i, k := range counts {
			if i < ready {
				require.InDelta(t, n/ready, k, float64(n/ready)*0.1, "case %d of %v", i, counts)
			} else {
				require.Zero(t, k)
			}
		}
	}
}

// After runs on the pool's clock in a task, and on the bubble's outside.
func TestSelectAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := lockstep.New(lockstep.WithWorkers(1), lockstep.WithLockOSThread(!floating))
		require.NoError(t, err)
		c := chans.New[int](0)
		late := func() time.Duration {
			begin := time.Now()
			called := false
			i, err := chans.Select(bg, chans.After(time.Hour, nil), chans.Recv(c, nil), chans.After(time.Minute, func() { called = true }))
			require.NoError(t, err)
			require.Equal(t, 2, i)
			require.True(t, called)
			return time.Since(begin)
		}
		require.Equal(t, time.Minute, late())
		inTask(p, func() { require.Equal(t, time.Minute, late()) })

		i, err := chans.Select(bg, chans.Recv(c, nil), chans.After(0, nil))
		require.NoError(t, err)
		require.Equal(t, 1, i)

		go func() { time.Sleep(time.Second); _ = c.Put(4) }()
		inTask(p, func() {
			i, err := chans.Select(bg, chans.After(time.Hour, nil), chans.Recv(c, func(v int, ok bool) { require.Equal(t, 4, v) }))
			require.NoError(t, err)
			require.Equal(t, 1, i)
		})
		ctx, cancel := context.WithTimeout(bg, time.Second)
		defer cancel()
		inTask(p, func() {
			i, err := chans.Select(ctx, chans.After(time.Hour, nil), chans.Recv(c, nil))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, -1, i)
		})
		require.NoError(t, p.Close())
	})
}

func TestSelectMisuse(t *testing.T) {
	p := workers(t, 1)
	c := chans.New[int](0)
	shared := chans.Recv(c, nil)
	p.Go(func() { _, _ = chans.Select(bg, shared) })
	waiting(c, 0, 1)
	require.PanicsWithValue(t, "lockstep: a case is used by two selects at the same time; make one for each",
		func() { _, _ = chans.Select(bg, shared) })
	require.NoError(t, c.Put(1), "the lock is free")
}
