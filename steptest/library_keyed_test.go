package steptest_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Operations of a key follow one another, whatever gives way in them; those of different keys do not wait for one another.
func TestStepKeyed(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		k := lockstep.NewKeyed[string](t.Pool().TaskQueue("default"))
		var wg tasksync.WaitGroup
		wg.Add(6)
		got, inside := map[string][]int{}, map[string]int{}
		op := func(key string, i int) func() {
			return func() {
				defer wg.Done()
				inside[key]++
				require.Equal(t, 1, inside[key])
				t.Point("in the operation")
				if i == 1 {
					lockstep.Yield()
				}
				got[key] = append(got[key], i)
				inside[key]--
			}
		}
		for i := range 3 {
			k.Go("a", op("a", i))
			k.Go("b", op("b", i))
		}
		wg.Wait()
		require.Equal(t, map[string][]int{"a": {0, 1, 2}, "b": {0, 1, 2}}, got)
	})
}

func TestStepKeyedDo(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		k := lockstep.NewKeyed[int](t.Pool(lockstep.WithCapacity(2)).TaskQueue("default"))
		sum, oops := 0, errors.New("oops")
		g := lockstep.Group{}
		for i := range 3 {
			g.Go(func() error {
				return k.Do(t.Context(), 7, func(ctx context.Context) error {
					x := sum
					t.Point("between")
					sum = x + 1
					if i == 2 {
						return oops
					}
					return k.Do(ctx, 7, func(context.Context) error { return nil })
				})
			})
		}
		require.ErrorIs(t, g.Wait(), oops)
		require.Equal(t, 3, sum)
	})
}

func TestStepKeyedBatch(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		k := lockstep.NewKeyed[int](p.TaskQueue("default"))
		got := [3][]int{}
		b := k.Batch()
		for i := range 9 {
			b.Go(i%3, func() { t.Point("op"); got[i%3] = append(got[i%3], i) })
		}
		b.Send()
		require.NoError(t, p.Close())
		require.Equal(t, [3][]int{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}, got)
	})
}

// While an operation neither yields nor waits it has the state of its shard to itself.
func TestStepSharded(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		type state struct{ n, inside int }
		closed := 0
		s, err := lockstep.NewSharded(t.Pool().TaskQueue("default"),
			func(int) *state { return &state{} }, func(s *state) { closed += s.n })
		require.NoError(t, err)
		require.Equal(t, 2, s.Shards())
		var mu tasksync.Mutex
		for i := range 4 {
			s.Send(i%2, func(s *state) {
				s.inside++
				require.Equal(t, 1, s.inside)
				mu.TryLock() // a point, at which a task of this worker does not give way
				s.inside--
				s.n++
				lockstep.Yield()
			})
		}
		require.NoError(t, s.Do(t.Context(), 1, func(_ context.Context, s *state) error { s.n += 10; return nil }))
		require.NoError(t, s.Close())
		require.Equal(t, 14, closed)
	})
}

func TestStepFans(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool()
		running, most := 0, 0
		item := func(ctx context.Context, i int) (int, error) {
			running++
			most = max(most, running)
			t.Point("item")
			if i == 1 {
				lockstep.Yield()
			}
			running--
			return i * i, nil
		}
		ctx := p.Context(t.Context())
		got, err := lockstep.Map(ctx, []int{1, 2, 3}, item, lockstep.Limit(2))
		require.NoError(t, err)
		require.Equal(t, []int{1, 4, 9}, got)
		require.LessOrEqual(t, most, 2)
		require.NoError(t, lockstep.ForN(ctx, 3, func(ctx context.Context, i int) error { _, err := item(ctx, i); return err }))
		require.Zero(t, running)
		var seq []int
		for r, err := range lockstep.MapSeq(ctx, slices.Values([]int{3, 1, 2}), item) {
			require.NoError(t, err)
			seq = append(seq, r)
			if len(seq) == 2 {
				break
			}
		}
		require.Equal(t, []int{9, 1}, seq)
		require.Zero(t, running)
		sum := 0
		require.NoError(t, lockstep.ForEachSeq(ctx, slices.Values([]int{1, 2, 3}), func(ctx context.Context, i int) error { sum += i; return nil }))
		require.Equal(t, 6, sum)
	})
}

func TestStepFanErrors(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		oops := errors.New("oops")
		begun := 0
		err := lockstep.ForEach(t.Context(), []int{0, 1, 2, 3}, func(_ context.Context, i int) error {
			begun++
			t.Point("item")
			if i == 1 {
				return oops
			}
			return nil
		}, lockstep.Limit(1))
		require.ErrorIs(t, err, oops)
		require.Equal(t, 2, begun, "one at a time, and none after the error")
		err = lockstep.ForN(t.Context(), 3, func(_ context.Context, i int) error { return oops }, lockstep.AllErrors())
		require.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 3)
		require.PanicsWithValue(t, "boom", func() {
			_ = lockstep.ForN(t.Context(), 3, func(_ context.Context, i int) error {
				if i == 2 {
					panic("boom")
				}
				return nil
			})
		})
	})
}
