package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep"
)

// Whatever the calls do, and however many there may be, results come in order, up to the first error or to the break.
func TestMapSeqKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hows := rapid.SliceOfN(rapid.IntRange(0, 8), 0, 400).Draw(rt, "what calls do") // 1 yields, 2 sleeps
		wrongAt := rapid.IntRange(-1, 500).Draw(rt, "error at")
		breakAt := rapid.IntRange(-1, 500).Draw(rt, "break at")
		all := rapid.Bool().Draw(rt, "all errors")
		inside := rapid.Bool().Draw(rt, "in a task")
		var opts []lockstep.FanOption
		if n := rapid.IntRange(0, 5).Draw(rt, "limit"); n > 0 {
			opts = append(opts, lockstep.Limit(n))
		}
		if all {
			opts = append(opts, lockstep.AllErrors())
		}
		p, err := lockstep.New(lockstep.WithWorkers(rapid.IntRange(1, 3).Draw(rt, "workers")), lockstep.WithLockOSThread(!floating))
		require.NoError(rt, err)
		var begun, ended atomic.Int32
		var got, errs []int
		loop := func(ctx context.Context) {
			i := 0
			for r, err := range lockstep.MapSeq(ctx, slices.Values(numbers(len(hows))), func(_ context.Context, i int) (int, error) {
				begun.Inc()
				defer ended.Inc()
				if hows[i] <= 2 {
					behave(hows[i])
				}
				if i == wrongAt {
					return 0, fmt.Errorf("%d is wrong", i)
				}
				return i, nil
			}, opts...) {
				if err != nil {
					errs = append(errs, i)
				} else {
					got = append(got, r)
				}
				if i == breakAt {
					break
				}
				i++
			}
		}
		if inside {
			inTask(p, loop)
		} else {
			loop(p.Context(bg))
		}
		require.Equal(rt, begun.Load(), ended.Load(), "a call is left behind")
		n := len(hows)
		var want, wantErrs []int
		for i := range n {
			if i == wrongAt {
				wantErrs = append(wantErrs, i)
				if !all {
					break
				}
			} else {
				want = append(want, i)
			}
			if i == breakAt {
				break
			}
		}
		switch {
		case all || wrongAt < 0 || wrongAt >= n:
			require.True(rt, slices.Equal(want, got), "%v\n%v", want, got)
			require.True(rt, slices.Equal(wantErrs, errs))
		default: // an error may end it before everything in front of it is there
			require.LessOrEqual(rt, len(got), len(want))
			require.True(rt, slices.Equal(want[:len(got)], got), "%v\n%v", want, got)
			require.LessOrEqual(rt, len(errs), 1)
		}
		require.NoError(rt, p.Close())
	})
}

func TestMapSeqOfAnEndlessSequence(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		read, n := 0, 0
		endless := func(yield func(int) bool) {
			for ; yield(read); read++ {
			}
		}
		for r, err := range lockstep.MapSeq(ctx, endless, func(_ context.Context, i int) (int, error) { return 2 * i, nil }) {
			require.NoError(t, err)
			require.Equal(t, 2*n, r)
			require.LessOrEqual(t, read-n, 1100)
			if n++; n == 5000 {
				break
			}
		}
	})
}

// A call that waits for long does not keep those behind it from going on.
func TestMapSeqGoesOnBehindASlowItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2)
		from := time.Now()
		n := 0
		for r, err := range lockstep.MapSeq(p.Context(bg), slices.Values(numbers(1000)), func(ctx context.Context, i int) (int, error) {
			return i, lockstep.Sleep(ctx, time.Hour)
		}) {
			require.NoError(t, err)
			require.Equal(t, n, r)
			n++
		}
		require.Equal(t, 1000, n)
		require.Equal(t, time.Hour, time.Since(from))
	})
}

func TestMapSeqEnds(t *testing.T) {
	p := workers(t, 2)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		cause := errors.New("enough")
		sleep := func(ctx context.Context, i int) (int, error) { return i, lockstep.Sleep(ctx, time.Hour) }
		one := slices.Values(numbers(1))
		// the context ends while the loop waits, and before
		for _, before := range []bool{false, true} {
			ctx, cancel := context.WithCancelCause(ctx)
			if before {
				cancel(cause)
			} else {
				go cancel(cause)
			}
			n := 0
			for r, err := range lockstep.MapSeq(ctx, one, sleep) {
				require.Zero(t, r)
				require.Equal(t, cause, err)
				n++
			}
			require.Equal(t, 1, n)
		}
		// panics in the call, in the sequence and in the body
		var under atomic.Int32
		held := func(ctx context.Context, i int) (int, error) {
			under.Inc()
			defer under.Dec()
			if i == 3 {
				panic("call")
			}
			if i < 3 {
				return i, nil
			}
			return i, lockstep.Sleep(ctx, time.Hour)
		}
		loop := func(n int, body func(int)) {
			for r := range lockstep.MapSeq(ctx, slices.Values(numbers(n)), held) {
				body(r)
			}
		}
		require.Equal(t, "call", panicOf(func() { loop(10, func(int) {}) }))
		require.Equal(t, "body", panicOf(func() {
			loop(3, func(i int) {
				if i == 1 {
					panic("body")
				}
			})
		}))
		seq := func(yield func(int) bool) {
			for i := 4; i < 50 && yield(i); i++ {
			}
			panic("sequence")
		}
		require.Equal(t, "sequence", panicOf(func() {
			for range lockstep.MapSeq(ctx, seq, held) {
				t.Error("no result is there")
			}
		}))
		require.Zero(t, under.Load())
	})
	require.NoError(t, p.Close())
	for _, err := range lockstep.MapSeq(p.Context(bg), slices.Values(numbers(3)), func(context.Context, int) (int, error) { return 0, nil }) {
		require.Equal(t, lockstep.ErrClosed, err)
	}
}
