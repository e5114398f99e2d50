package steptest_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// comesTo runs the body and returns the different texts that its schedules have come to.
func comesTo(t *testing.T, body func(t *steptest.T) string, opts ...steptest.Option) []string {
	t.Helper()
	seen := map[string]bool{}
	steptest.Run(t, func(t *steptest.T) { seen[body(t)] = true }, opts...)
	var all []string
	for s := range seen {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// Tasks of one queue begin in any order if there are several workers, also those that one task has spawned.
func TestStepOrders(t *testing.T) {
	require.Equal(t, []string{"abc", "acb", "bac", "bca", "cab", "cba"}, comesTo(t, func(t *steptest.T) (s string) {
		p := t.Pool()
		for _, c := range []string{"a", "b", "c"} {
			p.Go(func() { s += c })
		}
		require.NoError(t, p.Close())
		return s
	}))
}

func TestStepHandles(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithTaskQueue("other"), lockstep.WithTaskQueue("third", lockstep.WithShares(7), lockstep.WithLatency(1e6)))
		oops := errors.New("oops")
		other := p.TaskQueue("other").Context(t.Context())
		h := lockstep.Spawn(other, func(ctx context.Context) (string, error) {
			inner := lockstep.Spawn(ctx, func(context.Context) (int, error) { return 6, nil })
			n, err := inner.Wait(ctx)
			require.NoError(t, err)
			require.Equal(t, 6, n)
			return "done", oops
		})
		for range 2 {
			s, err := h.Wait(t.Context())
			require.Equal(t, "done", s)
			require.ErrorIs(t, err, oops)
		}
		h.Cancel(nil)
		require.EqualValues(t, 2, p.TaskQueue("other").Stats().Finished, "of this schedule")
		require.Zero(t, p.TaskQueue("third").Stats().Started)
		require.Equal(t, 7, p.TaskQueue("third").Stats().Shares)
		require.NoError(t, p.TaskQueue("third").SetShares(8))

		var self *lockstep.Task[int]
		self = lockstep.Spawn(other, func(ctx context.Context) (int, error) {
			require.PanicsWithValue(t, "lockstep: a task waits for itself", func() { _, _ = self.Wait(ctx) })
			runtime.Goexit()
			return 0, nil
		})
		_, err := self.Wait(t.Context())
		require.ErrorIs(t, err, lockstep.ErrGoexit)

		late := lockstep.Spawn(other, func(ctx context.Context) (int, error) { return 1, nil })
		late.Cancel(oops)
		if n, err := late.Wait(t.Context()); err != nil {
			require.ErrorIs(t, err, oops)
		} else {
			require.Equal(t, 1, n, "it had begun")
		}
		require.ErrorIs(t, p.TaskQueue("third").Run(other, func(context.Context) error { return oops }), oops)
		require.PanicsWithValue(t, "boom", func() { _ = p.Run(other, func(context.Context) error { panic("boom") }) })
	})
}

func TestStepGroups(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		oops := errors.New("oops")
		g, ctx := lockstep.NewGroup(t.Pool().Context(t.Context()))
		g.SetLimit(2)
		running, most, ended := 0, 0, 0
		for i := range 4 {
			g.Go(func() error {
				running++
				most = max(most, running)
				t.Point("in it")
				running--
				if i == 2 {
					return oops
				}
				return nil
			})
		}
		if g.TryGo(func() error { ended++; return nil }) {
			ended--
		}
		require.ErrorIs(t, g.Wait(), oops)
		require.ErrorIs(t, context.Cause(ctx), oops)
		require.LessOrEqual(t, most, 2)
		require.Zero(t, ended)
	})
}

// Two pools, of which one is bounded; each task knows its own.
func TestStepPools(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		full, refused := 0, false
		p, q := t.Pool(), t.Pool(lockstep.WithWorkers(1), lockstep.WithCapacity(1))
		inside, err := lockstep.New(lockstep.WithWorkers(3)) // as code under test may
		require.NoError(t, err)
		ran := 0
		var wg tasksync.WaitGroup
		wg.Add(3)
		p.Go(func() {
			defer wg.Done()
			for range 2 {
				q.Go(func() { ran++ }) // waits for room
			}
			refused = !q.TryGo(func() { ran++ })
		})
		q.Go(func() {
			defer wg.Done()
			lockstep.Go(func() { ran++ }) // in q
			full++
		})
		inside.Go(wg.Done)
		wg.Wait()
		require.NoError(t, p.Close())
		require.NoError(t, q.Close())
		want := 4
		if refused {
			want--
		}
		require.Equal(t, want, ran)
		require.Equal(t, 1, full)
		require.EqualValues(t, want+1, q.Stats().Queues[0].Finished)
	})
}

// Room is waited for, and a context ends that.
func TestStepCapacity(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(lockstep.WithWorkers(1), lockstep.WithCapacity(1))
		ctx, cancel := context.WithCancel(t.Context())
		accepted, ran := 0, 0
		g := lockstep.Group{}
		for range 3 {
			g.Go(func() error {
				if err := p.Submit(ctx, func() { ran++ }); err != nil {
					require.ErrorIs(t, err, context.Canceled)
					return nil
				}
				accepted++
				return nil
			})
		}
		g.Go(func() error { cancel(); return nil })
		require.NoError(t, g.Wait())
		require.NoError(t, p.Close())
		require.Equal(t, accepted, ran)
	})
}

// Package-level calls in a body, and Default, mean a stepped pool, anew for each schedule.
func TestStepDefault(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		ran := 0
		lockstep.Default().Go(func() { ran++ })
		require.Same(t, lockstep.Default(), lockstep.Default())
		lockstep.Go(func() { ran++ })
		require.NoError(t, lockstep.Run(t.Context(), func(context.Context) error { ran++; return nil }))
		p := t.Pool()
		require.NotSame(t, p, lockstep.Default())
		before := lockstep.SetDefault(p)
		require.Same(t, p, lockstep.Default())
		require.NoError(t, p.Close())
		lockstep.SetDefault(before)
		for ran < 3 {
			lockstep.Yield()
		}
	})
}

func TestStepPanicHandler(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var got []any
		p := t.Pool(lockstep.WithPanicHandler(func(e *lockstep.PanicError) { got = append(got, e.Value) }))
		p.Go(func() { panic("one") })
		h := lockstep.Spawn(p.Context(t.Context()), func(context.Context) (int, error) { t.Point("before"); panic("two") })
		_, err := h.Wait(t.Context())
		var e *lockstep.PanicError
		require.ErrorAs(t, err, &e)
		require.Equal(t, "two", e.Value)
		require.NoError(t, p.Close())
		require.ElementsMatch(t, []any{"one", "two"}, got)
		require.EqualValues(t, 2, p.Stats().Queues[0].Panicked)
	})
}

// Nothing is left in a pool of what the schedule before has counted and set.
func TestStepPoolsAreNew(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		q := p.TaskQueue("default")
		require.Equal(t, 100, q.Stats().Shares)
		require.NoError(t, q.SetShares(7))
		require.Equal(t, lockstep.OverflowStats{Limit: 256}, p.Stats().Overflow)
		g, _ := lockstep.NewGroup(p.Context(t.Context()))
		for range 2 {
			g.Go(func() error { lockstep.Yield(); lockstep.BlockInPlace(func() {}, moved); return nil })
		}
		require.NoError(t, g.Wait())
		s := q.Stats()
		require.EqualValues(t, 2, s.Started)
		require.EqualValues(t, 2, s.YieldsVoluntary)
		require.EqualValues(t, 2, s.SectionsMoved)
		require.Equal(t, 7, s.Shares)
	})
}

func TestStepThreadInit(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var events []int
		p := t.Pool(lockstep.WithThreadInit(func(worker int) func() {
			events = append(events, worker)
			return func() { events = append(events, 10+worker) }
		}))
		p.Go(func() { events = append(events, 5) })
		require.NoError(t, p.Close())
		require.Equal(t, []int{0, 1, 5, 10, 11}, events)
	})
}
