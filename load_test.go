package lockstep_test

import (
	"context"
	"iter"
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

// memory is what heap and stacks take.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
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
