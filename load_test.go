package lockstep_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// recurse uses at least n bytes of stack and calls bottom there.
func recurse(n int, bottom func()) (sum int) {
	var frame [1000]byte
	for i := range frame {
		frame[i] = byte(n + i)
	}
	if n > 0 {
		sum = recurse(n-len(frame), bottom)
	} else {
		bottom()
	}
	for _, b := range frame {
		sum += int(b)
	}
	return sum
}

func TestD32DeepStacks(t *testing.T) {
	p := workers(t, 2)
	before := memory()
	want := recurse(1<<20, nothing)
	var wrong atomic.Int32
	g, _ := lockstep.NewGroup(p.Context(bg))
	g.SetLimit(50)
	for range 100 {
		g.Go(func() error {
			if recurse(1<<20, lockstep.Yield) != want {
				wrong.Inc()
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.Zero(t, wrong.Load())
	const deep = 100 << 20
	inTask(p, func(context.Context) {
		reached := 0
		recurse(deep, func() { lockstep.Yield(); reached++ })
		require.Equal(t, 1, reached)
	})
	// Stacks shrink by half at each collection.
	until(func() bool { runtime.GC(); return memory() < before+32<<20 })
}

// memory is what heap and stacks take.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func TestD18PingFromOutside(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		for _, locked := range []bool{true, false} {
			t.Run(fmt.Sprint(procs, " procs, locked ", locked), func(t *testing.T) {
				withProcs(t, procs)
				p := workers(t, 1, lockstep.WithLockOSThread(locked))
				ctx := p.Context(bg)
				for i := range 1000 {
					v, err := lockstep.Spawn(ctx, func(context.Context) (int, error) { return i, nil }).Wait(bg)
					if err != nil || v != i {
						t.Fatal(v, err)
					}
					for range rand.IntN(2000) { // the worker falls asleep at any moment of the next ping
						runtime.KeepAlive(i)
					}
				}
			})
		}
	}
}

func TestD18PoolsInARing(t *testing.T) {
	for _, locked := range []bool{true, false} {
		var pools []*lockstep.Pool
		for i := range 4 {
			pools = append(pools, workers(t, 1+i%2, lockstep.WithLockOSThread(locked)))
		}
		const tokens, hops = 20, 300
		var wg sync.WaitGroup
		wg.Add(tokens)
		for i := range tokens {
			var hop func(n int)
			hop = func(n int) {
				switch {
				case n == hops:
					wg.Done()
				case (n+i)%3 == 0: // by a call, whose way back is a wake
					_ = pools[(n+1)%4].Run(bg, func(context.Context) error { lockstep.Yield(); return nil })
					fallthrough
				default:
					pools[(n+1)%4].Go(func() { hop(n + 1) })
				}
			}
			pools[i%4].Go(func() { hop(i % 4) })
		}
		wg.Wait()
	}
}

func TestManyGoroutinesWaitForManyTasks(t *testing.T) {
	p := workers(t, 4, lockstep.WithTaskQueue("a", lockstep.WithLatency(50_000)), lockstep.WithTaskQueue("b", lockstep.WithShares(10_000)))
	queues := []*lockstep.TaskQueue{p.TaskQueue("a"), p.TaskQueue("b"), p.TaskQueue("default")}
	var wg sync.WaitGroup
	var ran atomic.Int32
	for i := range 50 {
		wg.Go(func() {
			for j := range 100 {
				err := queues[(i+j)%3].Run(bg, func(ctx context.Context) error {
					ran.Inc()
					lockstep.YieldIfNeeded()
					return queues[j%3].Run(ctx, func(context.Context) error { lockstep.Yield(); return nil })
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, int32(5000), ran.Load())
}

// An iterator of the user's is another goroutine: calls in it act as outside of tasks.
func TestUsersOwnCoroutinesInATask(t *testing.T) {
	p := workers(t, 1)
	var ran atomic.Int32
	inTask(p, func(ctx context.Context) {
		next, stop := iter.Pull(func(yield func(int) bool) {
			for i := range 5 {
				lockstep.Yield()
				require.NoError(t, lockstep.Sleep(ctx, 1000))
				require.False(t, moved(p, move))
				p.Go(func() { ran.Inc() })
				if !yield(i) {
					return
				}
			}
		})
		defer stop()
		sum := 0
		for v, ok := next(); ok; v, ok = next() {
			sum += v
			lockstep.Yield()
			lockstep.BlockInPlace(runtime.Gosched, move)
		}
		require.Equal(t, 10, sum)
	})
	require.NoError(t, p.Close())
	require.Equal(t, int32(5), ran.Load())
}
