package chans_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

func TestSPSCModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 20).Draw(t, "capacity")
		r := chans.NewSPSC[int](capacity)
		require.Equal(t, capacity, r.Cap())
		var model []int
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				ok := r.TryPush(next)
				require.True(t, ok || len(model) >= capacity, "room for the capacity at least")
				require.True(t, !ok || len(model) < capacity+31)
				if ok {
					model = append(model, next)
					next++
				}
			},
			"pop": func(t *rapid.T) {
				v, ok := r.TryPop()
				require.Equal(t, len(model) > 0, ok)
				if ok {
					require.Equal(t, model[0], v)
					model = model[1:]
				}
			},
			"pushSome": func(t *rapid.T) {
				vs := make([]int, rapid.IntRange(0, 30).Draw(t, "n"))
				for i := range vs {
					vs[i] = next + i
				}
				n := r.PushSome(vs)
				require.True(t, n == len(vs) || len(model)+n >= capacity)
				model = append(model, vs[:n]...)
				next += n
			},
			"popSome": func(t *rapid.T) {
				vs := make([]int, rapid.IntRange(0, 30).Draw(t, "n"))
				n := r.PopSome(vs)
				require.Equal(t, min(len(vs), len(model)), n)
				require.Equal(t, append([]int{}, model[:n]...), append([]int{}, vs[:n]...))
				model = model[n:]
			},
			"": func(t *rapid.T) { require.Equal(t, len(model), r.Len()) },
		})
	})
}

// All ways to push and to pop, against each other, with waits and contexts that end in between.
func TestStressSPSC(t *testing.T) {
	random := seeded(t)
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		again(t, func() {
			for _, capacity := range []int{1, 2, 7, 64} {
				r := chans.NewSPSC[int](capacity)
				const n = 2000
				mode := random.IntN(9)
				both := &crowd{p: p, n: random.IntN(3)}
				both.add(func() {
					for i := 0; i < n; {
						switch {
						case mode%3 == 0:
							if r.Push(bg, i) == nil {
								i++
							}
						case mode%3 == 1:
							ctx, cancel := context.WithTimeout(bg, time.Duration(1+i%5)*20*time.Microsecond)
							if r.Push(ctx, i) == nil {
								i++
							}
							cancel()
						default:
							vs := []int{i, i + 1, i + 2}[:min(3, n-i)]
							k := r.PushSome(vs)
							if i += k; k == 0 && r.Push(bg, i) == nil {
								i++
							}
						}
					}
					r.Close()
				})
				both.add(func() {
					vs := make([]int, 5)
					want := 0
					expect := func(v int) {
						if v != want {
							panic("out of order")
						}
						want++
					}
					for {
						if mode/3 == 2 {
							for _, v := range vs[:r.PopSome(vs)] {
								expect(v)
							}
						}
						ctx, cancel := bg, func() {}
						if mode/3 == 1 {
							ctx, cancel = context.WithTimeout(bg, time.Duration(1+want%5)*20*time.Microsecond)
						}
						v, err := r.Pop(ctx)
						cancel()
						if err == nil {
							expect(v)
						} else if err == chans.ErrClosed { //nolint:errorlint // the very value
							break
						}
					}
					if want != n {
						panic("something was lost")
					}
				})
				both.wg.Wait()
			}
		})
	})
}

func TestSPSCClose(t *testing.T) {
	r := chans.NewSPSC[int](2)
	require.NoError(t, r.Push(bg, 1))
	r.Close()
	require.False(t, r.TryPush(2))
	require.Zero(t, r.PushSome([]int{2}))
	require.ErrorIs(t, r.Push(bg, 2), chans.ErrClosed)
	v, err := r.Pop(bg)
	require.NoError(t, err)
	require.Equal(t, 1, v)
	_, err = r.Pop(bg)
	require.ErrorIs(t, err, chans.ErrClosed)
	require.PanicsWithValue(t, "lockstep: close of a closed SPSC", r.Close)
	require.Panics(t, func() { chans.NewSPSC[int](0) })
}

// The barrier goes out of pushes after hardly any value without a wait, and comes back with the next wait, or stays out, while the two sides meet at an empty
// ring all the time, and contexts end some of the waits. The producer goes on only when everything it has pushed has come: a wake-up that is lost is a hang.
func TestStressSPSCFence(t *testing.T) {
	random := seeded(t)
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		again(t, func() {
			r := chans.NewSPSC[int](1 + random.IntN(4))
			r.Calm(1 + random.IntN(3))
			most, timed := 1+random.IntN(8), 1+random.IntN(100)
			var arrived atomic.Int64
			both := &crowd{p: p, n: random.IntN(3)}
			both.add(func() {
				for n := 0; n < 3000; {
					for burst := n%most + 1; burst > 0; burst-- {
						if r.Push(bg, n) != nil {
							panic("refused")
						}
						n++
					}
					for int(arrived.Load()) != n {
						lockstep.Yield()
					}
				}
				r.Close()
			})
			both.add(func() {
				for want := 0; ; {
					ctx, cancel := bg, func() {}
					if want%timed == 0 {
						ctx, cancel = context.WithTimeout(bg, time.Duration(1+want%3)*10*time.Microsecond)
					}
					v, err := r.Pop(ctx)
					cancel()
					switch {
					case err == chans.ErrClosed: //nolint:errorlint // the very value
						return
					case err == nil && v != want:
						panic("out of order")
					case err == nil:
						want++
						arrived.Store(int64(want))
					}
				}
			})
			both.wg.Wait()
		})
	})
}
