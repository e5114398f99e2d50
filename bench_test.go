package lockstep_test

import (
	"context"
	"sync"
	"testing"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// benchInTask runs f as the only task of a pool with one worker.
func benchInTask(b *testing.B, f func(p *lockstep.Pool)) {
	p := workers(b, 1)
	b.ReportAllocs()
	inTask(p, func(context.Context) { f(p) })
}

func BenchmarkSpawnInside(b *testing.B) {
	benchInTask(b, func(p *lockstep.Pool) {
		for i := 0; b.Loop(); i++ {
			p.Go(nothing)
			if i%256 == 255 {
				lockstep.Yield()
			}
		}
	})
}

func BenchmarkSpawnAndWaitInside(b *testing.B) {
	benchInTask(b, func(p *lockstep.Pool) {
		ctx := p.Context(bg)
		f := func(context.Context) (int, error) { return 1, nil }
		for b.Loop() {
			_, _ = lockstep.Spawn(ctx, f).Wait(bg)
		}
	})
}

func BenchmarkSpawnOutside(b *testing.B) {
	p := workers(b, 2)
	b.ReportAllocs()
	var ran atomic.Int64
	f := func() { ran.Inc() }
	n := int64(0)
	for b.Loop() {
		p.Go(f)
		n++
	}
	until(func() bool { return ran.Load() == n })
}

func BenchmarkYieldAmong1000(b *testing.B) {
	p := workers(b, 1)
	b.ReportAllocs()
	var wg sync.WaitGroup
	n := b.N/1000 + 1
	release := hold(p, 1)
	for range 1000 {
		wg.Add(1)
		p.Go(func() {
			defer wg.Done()
			for range n {
				lockstep.Yield()
			}
		})
	}
	b.ResetTimer()
	release()
	wg.Wait()
}

func BenchmarkYieldAlone(b *testing.B) {
	benchInTask(b, func(*lockstep.Pool) {
		for b.Loop() {
			lockstep.Yield()
		}
	})
}

func BenchmarkYieldIfNeeded(b *testing.B) {
	benchInTask(b, func(*lockstep.Pool) {
		for b.Loop() {
			lockstep.YieldIfNeeded()
		}
	})
}

func BenchmarkBlockInPlaceOff(b *testing.B) {
	benchInTask(b, func(*lockstep.Pool) {
		for b.Loop() {
			lockstep.BlockInPlace(nothing)
		}
	})
}

func BenchmarkBlockInPlaceOn(b *testing.B) {
	benchInTask(b, func(*lockstep.Pool) {
		for b.Loop() {
			lockstep.BlockInPlace(nothing, move)
		}
	})
}

func BenchmarkRunFromOutside(b *testing.B) {
	p := workers(b, 1)
	b.ReportAllocs()
	f := func(context.Context) error { return nil }
	for b.Loop() {
		_ = p.Run(bg, f)
	}
}

// BenchmarkD32ShortTasksWithAFrame compares 16 KB frames on the worker's warm stack with those of a
// new goroutine each.
func BenchmarkD32ShortTasksWithAFrame(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		benchInTask(b, func(p *lockstep.Pool) {
			f := func() { recurse(16<<10, nothing) }
			for i := 0; b.Loop(); i++ {
				p.Go(f)
				lockstep.Yield()
			}
		})
	})
	b.Run("go statement", func(b *testing.B) {
		b.ReportAllocs()
		var wg sync.WaitGroup
		for b.Loop() {
			wg.Go(func() { recurse(16<<10, nothing) })
			wg.Wait()
		}
	})
}

// BenchmarkGoStatement is what BenchmarkSpawnInside replaces.
func BenchmarkGoStatement(b *testing.B) {
	b.ReportAllocs()
	var wg sync.WaitGroup
	for i := 0; b.Loop(); i++ {
		wg.Go(nothing)
		if i%256 == 255 {
			wg.Wait()
		}
	}
	wg.Wait()
}
