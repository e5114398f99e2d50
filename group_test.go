package lockstep_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// everywhere calls f outside of tasks and in a task of a pool with n workers, which is the
// default pool.
func everywhere(t *testing.T, n int, f func(t *testing.T, p *lockstep.Pool)) {
	p := workers(t, n)
	useDefault(t, p)
	t.Run("outside", func(t *testing.T) { f(t, p) })
	t.Run("in a task", func(t *testing.T) { inTask(p, func(context.Context) { f(t, p) }) })
}

func TestZeroGroupReturnsTheFirstError(t *testing.T) {
	everywhere(t, 1, func(t *testing.T, _ *lockstep.Pool) {
		first, second := errors.New("first"), errors.New("second")
		for _, c := range []struct {
			errs []error
			want error
		}{
			{nil, nil},
			{[]error{nil}, nil},
			{[]error{first}, first},
			{[]error{nil, first, second}, first},
			{[]error{second, nil, first}, second},
		} {
			var g lockstep.Group
			for _, err := range c.errs {
				g.Go(func() error { return err })
			}
			require.Equal(t, c.want, g.Wait())
			require.Equal(t, c.want, g.Wait(), "Wait may be called again")
			g.Go(func() error { return nil })
			require.Equal(t, c.want, g.Wait(), "and so may Go; the error stays")
		}
	})
}

func TestGroupCancelsItsContext(t *testing.T) {
	everywhere(t, 1, func(t *testing.T, _ *lockstep.Pool) {
		g, ctx := lockstep.NewGroup(bg)
		g.Go(func() error { return nil })
		require.NoError(t, g.Wait())
		require.Equal(t, context.Canceled, ctx.Err(), "by Wait")
		require.Equal(t, context.Canceled, context.Cause(ctx))

		wrong := errors.New("wrong")
		g, ctx = lockstep.NewGroup(bg)
		var causes [3]error
		for i := range causes {
			g.Go(func() error { _ = lockstep.Sleep(ctx, 1<<40); causes[i] = context.Cause(ctx); return nil })
		}
		g.Go(func() error { return wrong })
		require.Equal(t, wrong, g.Wait())
		require.Equal(t, [3]error{wrong, wrong, wrong}, causes, "by the first error")
	})
}

func TestGroupLimitIsNeverExceeded(t *testing.T) {
	for _, limit := range []int{1, 3} {
		everywhere(t, 2, func(t *testing.T, _ *lockstep.Pool) {
			var g lockstep.Group
			g.SetLimit(limit)
			var active, most, ran atomic.Int32
			for i := range 1000 {
				g.Go(func() error {
					n := active.Inc()
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					if i%3 == 0 {
						lockstep.Yield()
					}
					ran.Inc()
					active.Dec()
					return nil
				})
			}
			require.NoError(t, g.Wait())
			require.Equal(t, int32(1000), ran.Load())
			require.LessOrEqual(t, most.Load(), int32(limit))
		})
	}
}

func TestGroupTryGoAtTheLimit(t *testing.T) {
	everywhere(t, 1, func(t *testing.T, _ *lockstep.Pool) {
		var g lockstep.Group
		g.SetLimit(0)
		require.False(t, g.TryGo(func() error { return nil }))
		g.SetLimit(2)
		gate := make(chan struct{})
		wait := func() error { lockstep.BlockInPlace(func() { <-gate }, lockstep.WithBlockInPlace(true)); return nil }
		require.True(t, g.TryGo(wait))
		require.True(t, g.TryGo(wait))
		require.False(t, g.TryGo(wait))
		require.Equal(t, "lockstep: Group.SetLimit while 2 tasks of the group are active", panicOf(func() { g.SetLimit(3) }))
		close(gate)
		require.NoError(t, g.Wait())
		g.SetLimit(-1)
		for range 100 {
			require.True(t, g.TryGo(func() error { return nil }))
		}
		require.NoError(t, g.Wait())
	})
}

func TestGroupGivesPlacesInTurn(t *testing.T) {
	p := workers(t, 1)
	useDefault(t, p)
	inTask(p, func(ctx context.Context) {
		var g lockstep.Group
		g.SetLimit(1)
		var got []int
		all, _ := lockstep.NewGroup(ctx)
		for i := range 100 {
			all.Go(func() error {
				g.Go(func() error { got = append(got, i); lockstep.Yield(); return nil })
				return nil
			})
		}
		require.NoError(t, all.Wait())
		require.NoError(t, g.Wait())
		require.Len(t, got, 100)
		for i, v := range got {
			require.Equal(t, i, v)
		}
	})
}

func TestGroupsNestInOneWorker(t *testing.T) {
	p := workers(t, 1)
	var ran atomic.Int32
	var tree func(depth int) error
	tree = func(depth int) error {
		ran.Inc()
		if depth == 0 {
			return nil
		}
		var g lockstep.Group
		g.SetLimit(1)
		for range 3 {
			g.Go(func() error { return tree(depth - 1) })
		}
		return g.Wait()
	}
	require.NoError(t, p.Run(bg, func(context.Context) error { return tree(6) }))
	require.Equal(t, int32((2187-1)/2), ran.Load())
}

func TestManyUseOneGroup(t *testing.T) {
	p := workers(t, 2)
	useDefault(t, p)
	var g lockstep.Group
	g.SetLimit(3)
	var ran atomic.Int32
	var wg sync.WaitGroup
	add := func() {
		for range 500 {
			g.Go(func() error { ran.Inc(); return nil })
		}
		for !g.TryGo(func() error { ran.Inc(); return nil }) {
			lockstep.Yield()
		}
	}
	for range 4 {
		wg.Go(add)
		wg.Add(1)
		p.Go(func() { defer wg.Done(); add() })
	}
	wg.Wait()
	for range 8 {
		wg.Go(func() { _ = g.Wait() })
	}
	wg.Wait()
	require.Equal(t, int32(8*501), ran.Load())
}

func TestGroupReportsWhyATaskHasNoResult(t *testing.T) {
	p := workers(t, 1, lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
	var g lockstep.Group
	inTask(p, func(ctx context.Context) {
		for i, f := range []func(){func() { panic("x") }, func() { lockstep.Yield(); exit() }} {
			g, ctx := lockstep.NewGroup(ctx)
			g.Go(func() error { f(); return nil })
			err := g.Wait()
			if i == 0 {
				var e *lockstep.PanicError
				require.ErrorAs(t, err, &e)
				require.Equal(t, "x", e.Value)
			} else {
				require.Equal(t, lockstep.ErrGoexit, err)
			}
			require.Equal(t, err, context.Cause(ctx))
		}
	})
	require.NoError(t, p.Close())
	useDefault(t, p)
	g.Go(func() error { t.Error("ran"); return nil })
	require.Equal(t, lockstep.ErrClosed, g.Wait())
	require.True(t, g.TryGo(func() error { t.Error("ran"); return nil }), "the group had room")
}

// When Shutdown ends tasks that wait for a place in a group, the place that one of them has
// just been given must not be lost with it, or Wait would wait for ever.
func TestGroupOutlivesKilledTasksThatWaitForAPlace(t *testing.T) {
	p := workers(t, 2)
	mine := workers(t, 2)
	for round := range 200 {
		if round > 0 {
			p = workers(t, 2)
		}
		g, _ := lockstep.NewGroup(mine.Context(bg))
		g.SetLimit(2)
		var began sync.WaitGroup
		began.Add(8)
		for i := range 8 {
			p.Go(func() {
				began.Done()
				for range 50 + i {
					g.Go(func() error { lockstep.Yield(); return nil })
				}
			})
		}
		began.Wait()
		force(t, p)
		_ = g.Wait()
	}
}
