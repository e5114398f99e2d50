package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep"
)

// numbers is the slice 0, 1, ... n-1.
func numbers(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// bothSides runs f from an ordinary goroutine and from a task of the pool.
func bothSides(t *testing.T, p *lockstep.Pool, f func(t *testing.T, ctx context.Context)) {
	t.Run("from a goroutine", func(t *testing.T) { f(t, p.Context(bg)) })
	t.Run("from a task", func(t *testing.T) { inTask(p, func(ctx context.Context) { f(t, ctx) }) })
}

func TestForEachCallsEveryItemOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 17, 1000, 20_000} {
		for _, procs := range []int{1, 2, 4} {
			p := workers(t, procs)
			bothSides(t, p, func(t *testing.T, ctx context.Context) {
				counts := make([]atomic.Int32, n)
				require.NoError(t, lockstep.ForEach(ctx, numbers(n), func(_ context.Context, i int) error {
					counts[i].Inc()
					return nil
				}))
				for i := range counts {
					require.Equal(t, int32(1), counts[i].Load(), "item %d of %d", i, n)
				}
			})
		}
	}
}

func TestMapKeepsTheOrder(t *testing.T) {
	p := workers(t, 3)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		got, err := lockstep.Map(ctx, numbers(5000), func(_ context.Context, i int) (string, error) {
			if i%7 == 0 {
				lockstep.Yield()
			}
			return fmt.Sprint(i), nil
		})
		require.NoError(t, err)
		for i, s := range got {
			require.Equal(t, fmt.Sprint(i), s)
		}
	})
}

// Every call waits until all are under way: a task each could do that, so this must.
func TestForEachHasAsManyCallsUnderWayAsItems(t *testing.T) {
	for _, procs := range []int{1, 2} {
		p := workers(t, procs)
		bothSides(t, p, func(t *testing.T, ctx context.Context) {
			const n = 300
			var begun atomic.Int32
			require.NoError(t, lockstep.ForN(ctx, n, func(context.Context, int) error {
				begun.Inc()
				for begun.Load() < n {
					lockstep.Yield()
				}
				return nil
			}))
		})
	}
}

func TestLimitHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, limit := rapid.IntRange(1, 200).Draw(rt, "items"), rapid.IntRange(1, 20).Draw(rt, "limit")
		every := rapid.IntRange(1, 4).Draw(rt, "yields every")
		sequence := rapid.Bool().Draw(rt, "sequence")
		p, err := lockstep.New(lockstep.WithWorkers(rapid.IntRange(1, 3).Draw(rt, "workers")), lockstep.WithLockOSThread(!floating))
		require.NoError(rt, err)
		var now, most, all atomic.Int32
		call := func(_ context.Context, i int) error {
			c := now.Inc()
			for m := most.Load(); c > m && !most.CompareAndSwap(m, c); m = most.Load() {
			}
			if i%every == 0 {
				lockstep.Yield()
			}
			now.Dec()
			all.Inc()
			return nil
		}
		if sequence {
			require.NoError(rt, lockstep.ForEachSeq(p.Context(bg), slices.Values(numbers(n)), call, lockstep.Limit(limit)))
		} else {
			require.NoError(rt, lockstep.ForN(p.Context(bg), n, call, lockstep.Limit(limit)))
		}
		require.LessOrEqual(rt, most.Load(), int32(limit))
		require.Equal(rt, int32(n), all.Load())
		require.NoError(rt, p.Close())
	})
}

func TestLimitOneKeepsTheOrder(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		var order []int
		note := func(_ context.Context, i int) error {
			order = append(order, i) // -race sees whether two overlap
			if i%100 == 0 {
				lockstep.Yield()
			}
			return nil
		}
		require.NoError(t, lockstep.ForEach(ctx, numbers(3000), note, lockstep.Limit(1)))
		require.True(t, slices.Equal(numbers(3000), order))
		order = nil
		require.NoError(t, lockstep.ForEachSeq(ctx, slices.Values(numbers(3000)), note, lockstep.Limit(1)))
		require.True(t, slices.Equal(numbers(3000), order))
	})
}

func TestFirstErrorEndsTheRest(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		wrong := errors.New("wrong")
		var after atomic.Int32
		err := lockstep.ForN(ctx, 1000, func(ctx context.Context, i int) error {
			switch {
			case i < 10: // waits for the error of another item
				<-lockstepDone(ctx)
				if context.Cause(ctx) != wrong {
					return fmt.Errorf("another cause: %w", context.Cause(ctx))
				}
				return context.Cause(ctx)
			case i == 10:
				return wrong
			}
			if ctx.Err() != nil {
				after.Inc()
			}
			return nil
		})
		require.Equal(t, wrong, err)
		require.LessOrEqual(t, after.Load(), int32(2*len(p.Stats().Workers)), "no call begins after the error, except those that were about to")
	})
}

// lockstepDone waits for the end of ctx as a task should, and then returns a closed channel.
func lockstepDone(ctx context.Context) <-chan struct{} {
	_ = lockstep.Sleep(ctx, time.Hour)
	return ctx.Done()
}

func TestAllErrorsAreJoinedInOrder(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		got, err := lockstep.Map(ctx, numbers(100), func(_ context.Context, i int) (int, error) {
			if i%10 == 3 {
				lockstep.Yield()
				return -1, fmt.Errorf("no %d", i)
			}
			return i, nil
		}, lockstep.AllErrors())
		require.EqualError(t, err, "no 3\nno 13\nno 23\nno 33\nno 43\nno 53\nno 63\nno 73\nno 83\nno 93")
		for i, v := range got {
			if i%10 == 3 {
				require.Zero(t, v)
			} else {
				require.Equal(t, i, v)
			}
		}
	})
}

func TestAnEndedContextCallsNothing(t *testing.T) {
	p := workers(t, 1)
	ctx, cancel := context.WithCancelCause(p.Context(bg))
	cause := errors.New("enough")
	cancel(cause)
	f := func(context.Context, int) error { t.Error("called"); return nil }
	require.Equal(t, cause, lockstep.ForN(ctx, 3, f))
	require.Equal(t, cause, lockstep.ForEachSeq(ctx, slices.Values(numbers(3)), f))
}

func TestTheEndOfTheContextEndsAForEach(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		cause := errors.New("enough")
		for _, seq := range []bool{false, true} {
			ctx, cancel := context.WithCancelCause(ctx)
			var begun, ended atomic.Int32
			f := func(ctx context.Context, i int) error {
				begun.Inc()
				defer ended.Inc()
				if i == 5 {
					cancel(cause)
				}
				return lockstep.Sleep(ctx, time.Hour)
			}
			if seq {
				require.Equal(t, cause, lockstep.ForEachSeq(ctx, slices.Values(numbers(50)), f))
			} else {
				require.Equal(t, cause, lockstep.ForN(ctx, 50, f))
			}
			require.Equal(t, begun.Load(), ended.Load(), "none is left behind")
		}
	})
}

func TestAPanicComesToTheCallerAfterTheOthersHaveEnded(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		var begun, ended atomic.Int32
		f := func(ctx context.Context, i int) error {
			begun.Inc()
			defer ended.Inc()
			if i == 20 {
				panic("mine")
			}
			return lockstep.Sleep(ctx, time.Hour)
		}
		require.Equal(t, "mine", panicOf(func() { _ = lockstep.ForN(ctx, 100, f) }))
		require.Equal(t, begun.Load(), ended.Load())
		require.Equal(t, "mine", panicOf(func() { _ = lockstep.ForEachSeq(ctx, slices.Values(numbers(100)), f) }))
		require.Equal(t, begun.Load(), ended.Load())
	})
}

func TestGoexitIsPassedOn(t *testing.T) {
	p := workers(t, 2)
	returned := false
	outside(func() {
		_ = lockstep.ForN(p.Context(bg), 10, func(context.Context, int) error { runtime.Goexit(); return nil })
		returned = true
	})
	require.False(t, returned)
}

func TestAPanicOfTheSequenceLeavesNoCallBehind(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		var begun, ended atomic.Int32
		seq := func(yield func(int) bool) {
			for i := range 10 {
				if !yield(i) {
					return
				}
			}
			panic("in the sequence")
		}
		require.Equal(t, "in the sequence", panicOf(func() {
			_ = lockstep.ForEachSeq(ctx, seq, func(ctx context.Context, _ int) error {
				begun.Inc()
				defer ended.Inc()
				return lockstep.Sleep(ctx, time.Hour)
			})
		}))
		require.Equal(t, begun.Load(), ended.Load())
	})
}

func TestForEachSeqCallsEveryItemOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 3} {
		p := workers(t, procs)
		bothSides(t, p, func(t *testing.T, ctx context.Context) {
			for _, n := range []int{0, 1, 63, 64, 65, 5000} {
				counts := make([]atomic.Int32, n)
				require.NoError(t, lockstep.ForEachSeq(ctx, slices.Values(numbers(n)), func(_ context.Context, i int) error {
					counts[i].Inc()
					if i%3 == 0 {
						lockstep.Yield()
					}
					return nil
				}))
				for i := range counts {
					require.Equal(t, int32(1), counts[i].Load(), "item %d of %d", i, n)
				}
			}
		})
	}
}

// The calls of a slow sequence's items begin while it waits for its next item.
func TestASlowSequenceDelaysNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2)
		slow := func(ctx context.Context) {
			from := time.Now()
			var late atomic.Int32
			seq := func(yield func(int) bool) {
				for i := 0; i < 100 && yield(i); i++ {
					_ = lockstep.Sleep(bg, time.Second)
				}
			}
			require.NoError(t, lockstep.ForEachSeq(ctx, seq, func(_ context.Context, i int) error {
				if time.Since(from) != time.Duration(i)*time.Second {
					late.Inc()
				}
				return nil
			}))
			require.Zero(t, late.Load())
		}
		slow(p.Context(bg))
		inTask(p, slow)
	})
}

// A sequence without an end is not read ahead for ever, and the first error ends it.
func TestAnEndlessSequence(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		var begun, ahead atomic.Int64
		wrong := errors.New("wrong")
		var seq iter.Seq[int] = func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
				if d := int64(i) - begun.Load(); d > ahead.Load() {
					ahead.Store(d)
				}
			}
		}
		require.Equal(t, wrong, lockstep.ForEachSeq(ctx, seq, func(_ context.Context, i int) error {
			begun.Inc()
			if i == 100_000 {
				return wrong
			}
			return nil
		}, lockstep.Limit(3)))
		require.LessOrEqual(t, ahead.Load(), int64(1200))
	})
}

func TestForEachOnAClosedPool(t *testing.T) {
	p := workers(t, 1)
	require.NoError(t, p.Close())
	f := func(context.Context, int) error { t.Error("called"); return nil }
	require.Equal(t, lockstep.ErrClosed, lockstep.ForN(p.Context(bg), 3, f))
	require.Equal(t, lockstep.ErrClosed, lockstep.ForEachSeq(p.Context(bg), slices.Values(numbers(3)), f))
}

func TestForEachInAForcedShutdown(t *testing.T) {
	for _, seq := range []bool{false, true} {
		p, err := lockstep.New(lockstep.WithWorkers(2), lockstep.WithLockOSThread(!floating))
		require.NoError(t, err)
		var begun, ended atomic.Int32
		f := func(context.Context, int) error {
			begun.Inc()
			defer ended.Inc()
			return lockstep.Sleep(bg, time.Hour)
		}
		each := func(ctx context.Context) error {
			if seq {
				return lockstep.ForEachSeq(ctx, slices.Values(numbers(100)), f)
			}
			return lockstep.ForN(ctx, 100, f)
		}
		var wg sync.WaitGroup
		var fromOutside error
		wg.Go(func() { fromOutside = each(p.Context(bg)) })
		left := make(chan struct{})
		p.Go(func() {
			defer close(left)
			_ = each(p.Context(bg))
		})
		until(func() bool { return begun.Load() == 200 })
		force(t, p)
		wg.Wait()
		<-left
		require.Equal(t, lockstep.ErrShutdown, fromOutside)
		require.Equal(t, begun.Load(), ended.Load())
	}
}

func TestForEachInABoundedPool(t *testing.T) {
	p := workers(t, 2, lockstep.WithCapacity(1))
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		var wg sync.WaitGroup
		var n atomic.Int32
		for range 20 {
			wg.Go(func() {
				_ = lockstep.ForN(p.Context(bg), 50, func(context.Context, int) error { lockstep.Yield(); n.Inc(); return nil })
			})
		}
		require.NoError(t, lockstep.ForN(ctx, 50, func(context.Context, int) error { lockstep.Yield(); n.Inc(); return nil }))
		until(func() bool { lockstep.Yield(); return n.Load() == 1050 })
		wg.Wait()
	})
}

func TestNestedForEach(t *testing.T) {
	p := workers(t, 2)
	var n atomic.Int32
	require.NoError(t, lockstep.ForN(p.Context(bg), 20, func(ctx context.Context, _ int) error {
		return lockstep.ForN(ctx, 20, func(ctx context.Context, _ int) error {
			return lockstep.ForEachSeq(ctx, slices.Values(numbers(5)), func(context.Context, int) error { n.Inc(); return nil })
		}, lockstep.Limit(3))
	}, lockstep.Limit(4)))
	require.Equal(t, int32(2000), n.Load())
}

// A call that blocks its thread natively does not hold up the items behind it.
func TestForEachBesideABlockedCall(t *testing.T) {
	p := workers(t, 1)
	const n = 100
	var left atomic.Int32
	left.Store(n - 1)
	gate := make(chan struct{})
	require.NoError(t, lockstep.ForN(p.Context(bg), n, func(_ context.Context, i int) error {
		if i == 0 {
			<-gate
		} else if left.Dec() == 0 {
			close(gate)
		}
		return nil
	}))
}

func TestForEachMisuse(t *testing.T) {
	var none context.Context
	require.Equal(t, "lockstep: ForEach of a nil func", panicOf(func() { _ = lockstep.ForEach[int](bg, nil, nil) }))
	require.Equal(t, "lockstep: ForN with a nil context; use context.Background", panicOf(func() {
		_ = lockstep.ForN(none, 1, func(context.Context, int) error { return nil })
	}))
	require.Equal(t, "lockstep: Limit(0) lets no call begin; use at least 1", panicOf(func() { lockstep.Limit(0) }))
}

func TestStressForEach(t *testing.T) {
	p := workers(t, 3)
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for round := range 30 {
				var sum atomic.Int64
				n := 1 + (k*31+round*7)%400
				f := func(ctx context.Context, i int) error {
					switch (i + round) % 5 {
					case 0:
						lockstep.Yield()
					case 1:
						_ = lockstep.Sleep(ctx, time.Microsecond)
					}
					sum.Add(int64(i))
					return nil
				}
				var opts []lockstep.FanOption
				if round%3 == 0 {
					opts = append(opts, lockstep.Limit(1+round%7))
				}
				var err error
				if round%2 == 0 {
					err = lockstep.ForN(p.Context(bg), n, f, opts...)
				} else {
					err = lockstep.ForEachSeq(p.Context(bg), slices.Values(numbers(n)), f, opts...)
				}
				if err != nil || sum.Load() != int64(n*(n-1)/2) {
					t.Errorf("round %d, %d items: sum %d, %v", round, n, sum.Load(), err)
				}
			}
		})
	}
	wg.Wait()
}
