package lockstep_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// Tasks with deep stacks give way at the bottom of them, and the memory is given back.
func TestD32DeepStacks(t *testing.T) {
	p := workers(t, 2)
	before := memory()
	want := recurse(1<<20, nothing)
	var wrong atomic.Int32
	g, _ := lockstep.NewGroup(p.Context(bg))
	g.SetLimit(rounds(50, 250))
	for range rounds(100, 1000) {
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

// frame16K has a frame of 16 KB, which a fresh goroutine's stack has no room for.
//
//go:noinline
func frame16K(n int) byte {
	var frame [16 << 10]byte
	frame[n%len(frame)] = byte(n)
	return frame[(n+1)%len(frame)] + frame[n%len(frame)]
}

// BenchmarkD32Frames is the time of a short task with a frame of 16 KB beside that of a go statement, in batches of 1000.
func BenchmarkD32Frames(b *testing.B) {
	const batch = 1000
	var sum atomic.Int64
	each := func(b *testing.B, start func(f func())) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			wg.Add(batch)
			for i := range batch {
				start(func() { sum.Add(int64(frame16K(i))); wg.Done() })
			}
			wg.Wait()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/task")
	}
	b.Run("go", func(b *testing.B) { each(b, func(f func()) { go f() }) })
	b.Run("outside", func(b *testing.B) {
		p := workers(b, 2)
		each(b, p.Go)
	})
	b.Run("inside", func(b *testing.B) {
		p := workers(b, 2)
		b.ReportAllocs()
		inTask(p, func(ctx context.Context) {
			for b.Loop() {
				g, _ := lockstep.NewGroup(ctx)
				for i := range batch {
					g.Go(func() error { sum.Add(int64(frame16K(i))); return nil })
				}
				_ = g.Wait()
			}
		})
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/task")
	})
}
