package lockstep_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func newPool(t testing.TB, opts ...lockstep.Option) *lockstep.Pool {
	p, err := lockstep.New(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

func TestSmoke(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		p := newPool(t, lockstep.WithWorkers(n))
		var sum atomic.Int64
		var wg sync.WaitGroup
		for i := range 10000 {
			wg.Add(1)
			p.Go(func() { defer wg.Done(); sum.Add(int64(i)) })
		}
		wg.Wait()
		require.Equal(t, int64(49995000), sum.Load())
		require.NoError(t, p.Run(context.Background(), func(ctx context.Context) error {
			g, _ := lockstep.NewGroup(ctx)
			for range 100 {
				g.Go(func() error {
					for range 100 {
						lockstep.Yield()
					}
					return lockstep.Sleep(ctx, time.Millisecond)
				})
			}
			return g.Wait()
		}))
		v, err := lockstep.Spawn(p.Context(context.Background()), func(ctx context.Context) (int, error) {
			w := lockstep.Spawn(ctx, func(context.Context) (int, error) { return 41, nil })
			v, err := w.Wait(ctx)
			return v + 1, err
		}).Wait(context.Background())
		require.NoError(t, err)
		require.Equal(t, 42, v)
		_, err = lockstep.Spawn(p.Context(context.Background()), func(ctx context.Context) (int, error) {
			lockstep.Yield()
			runtime.Goexit()
			return 1, nil
		}).Wait(context.Background())
		require.ErrorIs(t, err, lockstep.ErrGoexit)
		err = p.Run(context.Background(), func(ctx context.Context) error {
			lockstep.BlockInPlace(func() { time.Sleep(time.Millisecond) }, lockstep.WithBlockInPlace(true))
			return errors.New("x")
		})
		require.EqualError(t, err, "x")
		t.Logf("%+v", p.Stats().Queues)
	}
}

func BenchmarkSpawnInside(b *testing.B) {
	p := newPool(b, lockstep.WithWorkers(1))
	b.ReportAllocs()
	_ = p.Run(context.Background(), func(context.Context) error {
		f := func() {}
		defer cpu(b)()
		for i := 0; b.Loop(); i++ {
			p.Go(f)
			if i%256 == 255 {
				lockstep.Yield()
			}
		}
		return nil
	})
}

func BenchmarkYield1000(b *testing.B) {
	p := newPool(b, lockstep.WithWorkers(1))
	var wg sync.WaitGroup
	n := b.N/1000 + 1
	b.ResetTimer()
	defer cpu(b)()
	for range 1000 {
		wg.Add(1)
		p.Go(func() {
			defer wg.Done()
			for range n {
				lockstep.Yield()
			}
		})
	}
	wg.Wait()
}

func inTask(b *testing.B, f func(b *testing.B)) {
	p := newPool(b, lockstep.WithWorkers(1))
	b.ReportAllocs()
	_ = p.Run(context.Background(), func(context.Context) error { f(b); return nil })
}

func BenchmarkYieldAlone(b *testing.B) {
	inTask(b, func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			lockstep.Yield()
		}
	})
}
func BenchmarkYieldIfNeeded(b *testing.B) {
	inTask(b, func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			lockstep.YieldIfNeeded()
		}
	})
}
func BenchmarkBlockInPlaceOff(b *testing.B) {
	inTask(b, func(b *testing.B) {
		f := func() {}
		defer cpu(b)()
		for b.Loop() {
			lockstep.BlockInPlace(f)
		}
	})
}
func BenchmarkGoStatement(b *testing.B) {
	var wg sync.WaitGroup
	defer cpu(b)()
	for b.Loop() {
		wg.Add(1)
		go wg.Done()
		wg.Wait()
	}
}
func BenchmarkOutside(b *testing.B) {
	p := newPool(b, lockstep.WithWorkers(2))
	b.ReportAllocs()
	var n atomic.Int64
	f := func() { n.Inc() }
	defer cpu(b)()
	for b.Loop() {
		p.Go(f)
	}
	for n.Load() < int64(b.N) {
		runtime.Gosched()
	}
}
