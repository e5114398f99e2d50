package lockstep_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestD01TasksSpawnIntoTheirOwnFullPool(t *testing.T) {
	for _, c := range []struct{ workers, capacity, tasks, children int }{{1, 1, 1, 10}, {4, 1, 4, 1000}, {2, 3, 50, 20}} {
		p := workers(t, c.workers, lockstep.WithCapacity(c.capacity))
		var ran atomic.Int32
		var parents []*lockstep.Task[[]*lockstep.Task[int]]
		for range c.tasks {
			parents = append(parents, lockstep.Spawn(p.Context(bg), func(context.Context) (all []*lockstep.Task[int], err error) {
				for i := range c.children {
					all = append(all, lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { ran.Inc(); return i, nil }))
				}
				return all, nil
			}))
		}
		for _, parent := range parents {
			children, err := parent.Wait(bg)
			require.NoError(t, err)
			for i, child := range children {
				v, err := child.Wait(bg)
				require.NoError(t, err)
				require.Equal(t, i, v)
			}
		}
		require.Equal(t, int32(c.tasks*c.children), ran.Load())
	}
}

func TestD28BoundedPoolIsFullAtExactlyItsCapacity(t *testing.T) {
	const n = 1000
	p := still(t, 1, lockstep.WithCapacity(n))
	release := hold(p, 1)
	var ran atomic.Int32
	f := func() { ran.Inc() }
	for i := range n {
		require.True(t, p.TryGo(f), i)
	}
	heap := heapBytes()
	for range 1_000_000 {
		if p.TryGo(f) {
			t.Fatal("more than the capacity")
		}
	}
	require.Less(t, heapBytes(), heap+1<<20, "what is refused leaves nothing behind")
	why := errors.New("no time")
	ctx, cancel := context.WithCancelCause(bg)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			var err error
			switch i % 3 {
			case 0:
				err = p.Submit(ctx, f)
			case 1:
				err = p.Run(ctx, func(context.Context) error { f(); return nil })
			case 2:
				_, err = lockstep.Spawn(p.Context(ctx), func(context.Context) (int, error) { f(); return 0, nil }).Wait(bg)
			}
			if err != why {
				t.Error(err)
			}
		})
	}
	cancel(why)
	wg.Wait()
	release()
	require.NoError(t, p.Close())
	require.Equal(t, int32(n), ran.Load())
}

func TestEndedContextsLeaveNoPlaceTaken(t *testing.T) {
	p := still(t, 1, lockstep.WithCapacity(2))
	for range 300 {
		ctx, cancel := context.WithCancel(p.Context(bg))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { _ = p.Submit(ctx, lockstep.Yield) })
			wg.Go(func() {
				_, _ = lockstep.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, lockstep.Sleep(ctx, time.Hour) }).Wait(bg)
			})
		}
		for range rand.IntN(20) {
			runtime.Gosched()
		}
		cancel()
		wg.Wait()
	}
	release := hold(p, 1)
	require.True(t, p.TryGo(nothing))
	require.True(t, p.TryGo(nothing))
	require.False(t, p.TryGo(nothing))
	release()
}

func TestWaitersForRoomGetItInOrder(t *testing.T) {
	p := still(t, 1, lockstep.WithCapacity(1))
	feeder := workers(t, 1)
	release := hold(p, 1)
	p.Go(nothing)
	var got []int
	for i := range 100 {
		feeder.Go(func() { p.Go(func() { got = append(got, i) }) })
	}
	until(func() bool { return feeder.Stats().Queues[0].Started == 100 })
	inTask(feeder, func(context.Context) {}) // the last of them is parked too
	release()
	require.NoError(t, feeder.Close())
	require.NoError(t, p.Close())
	require.Len(t, got, 100)
	for i, v := range got {
		require.Equal(t, i, v)
	}
}

func TestPanicsAndGoexitGiveTheirPlaceBack(t *testing.T) {
	p := workers(t, 1, lockstep.WithCapacity(1), lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
	for i := range 300 {
		p.Go([]func(){panicsWithAString, exit, func() { lockstep.Yield(); panic(1) }}[i%3])
	}
	require.NoError(t, p.Run(bg, func(context.Context) error { return nil }))
}

// heapBytes is what the heap holds after two collections.
func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestD28UnboundedPoolGivesMemoryBack(t *testing.T) {
	for _, inside := range []bool{false, true} {
		p := still(t, 2)
		const n = 1_000_000
		var ran atomic.Int64
		f := func() { ran.Inc() }
		before := heapBytes()
		fill := func() {
			for range n {
				p.Go(f)
			}
		}
		if inside {
			inTask(p, func(context.Context) { fill() })
		} else {
			release := hold(p, 2)
			fill()
			grown := int64(heapBytes()) - int64(before)
			require.LessOrEqual(t, grown, int64(24*n), "24 bytes a queued task")
			release()
		}
		until(func() bool { return ran.Load() == n })
		inTask(p, func(context.Context) {})
		require.Less(t, heapBytes(), before+2<<20, "no giant array is kept")
		require.NoError(t, p.Close())
	}
}
