package lockstep_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/lockstep-go/lockstep"
)

// A million small items, per item: ForEach, beside a goroutine for each chunk, written by hand, a goroutine for each item, and a
// task for each item. The rivals outside the standard library are in bench/.
func BenchmarkMillionItems(b *testing.B) {
	const n = 1_000_000
	items := numbers(n)
	out := make([]int, n)
	work := func(i int) { out[i] = i * 7 }
	perItem := func(b *testing.B, f func()) {
		b.ReportAllocs()
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/item")
	}
	p := workers(b, runtime.GOMAXPROCS(0))
	ctx := p.Context(bg)
	each := func(_ context.Context, i int) error { work(i); return nil }
	b.Run("ForEach", func(b *testing.B) {
		perItem(b, func() { _ = lockstep.ForEach(ctx, items, each) })
	})
	b.Run("ForEach, Limit(2)", func(b *testing.B) {
		perItem(b, func() { _ = lockstep.ForEach(ctx, items, each, lockstep.Limit(2)) })
	})
	b.Run("Map", func(b *testing.B) {
		perItem(b, func() {
			_, _ = lockstep.Map(ctx, items, func(_ context.Context, i int) (int, error) { return i * 7, nil })
		})
	})
	b.Run("ForEachSeq", func(b *testing.B) {
		perItem(b, func() { _ = lockstep.ForEachSeq(ctx, slices.Values(items), each) })
	})
	b.Run("ForEachSeq in a task", func(b *testing.B) {
		perItem(b, func() {
			inTask(p, func(ctx context.Context) { _ = lockstep.ForEachSeq(ctx, slices.Values(items), each) })
		})
	})
	b.Run("Group, a task for each", func(b *testing.B) {
		perItem(b, func() {
			g, _ := lockstep.NewGroup(ctx)
			for _, i := range items {
				g.Go(func() error { work(i); return nil })
			}
			_ = g.Wait()
		})
	})
	b.Run("goroutine for each chunk", func(b *testing.B) {
		perItem(b, func() {
			var wg sync.WaitGroup
			for chunk := range slices.Chunk(items, n/(4*runtime.GOMAXPROCS(0))) {
				wg.Go(func() {
					for _, i := range chunk {
						_ = each(bg, i)
					}
				})
			}
			wg.Wait()
		})
	})
	b.Run("goroutine for each item", func(b *testing.B) {
		perItem(b, func() {
			var wg sync.WaitGroup
			for _, i := range items {
				wg.Go(func() { work(i) })
			}
			wg.Wait()
		})
	})
}

// Few items, as a request fans out: how long the whole call takes.
func BenchmarkTenItems(b *testing.B) {
	items := numbers(10)
	each := func(context.Context, int) error { return nil }
	b.Run("ForEach in a task", func(b *testing.B) {
		benchInTask(b, func(p *lockstep.Pool) {
			ctx := p.Context(bg)
			for b.Loop() {
				_ = lockstep.ForEach(ctx, items, each)
			}
		})
	})
	b.Run("ForEach from outside", func(b *testing.B) {
		p := workers(b, runtime.GOMAXPROCS(0))
		ctx := p.Context(bg)
		b.ReportAllocs()
		for b.Loop() {
			_ = lockstep.ForEach(ctx, items, each)
		}
	})
	b.Run("Group in a task", func(b *testing.B) {
		benchInTask(b, func(p *lockstep.Pool) {
			ctx := p.Context(bg)
			for b.Loop() {
				g, ctx := lockstep.NewGroup(ctx)
				for _, i := range items {
					g.Go(func() error { return each(ctx, i) })
				}
				_ = g.Wait()
			}
		})
	})
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			for _, i := range items {
				wg.Go(func() { _ = each(bg, i) })
			}
			wg.Wait()
		}
	})
}
