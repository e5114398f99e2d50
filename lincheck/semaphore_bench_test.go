package lincheck_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// weighted is what both semaphores are.
type weighted interface {
	Acquire(ctx context.Context, n int64) error
	TryAcquire(n int64) bool
	Release(n int64)
}

// BenchmarkSemaphore is one task or goroutine that nobody disturbs, and eight that take a semaphore of one, give way while they
// have it, and give it back: tasks of one worker beside goroutines on one P.
func BenchmarkSemaphore(b *testing.B) {
	const crowd = 8
	rounds := func(s weighted, n int, yield func()) func() {
		return func() {
			for range n {
				_ = s.Acquire(bg, 1)
				yield()
				s.Release(1)
			}
		}
	}
	tasks := func(b *testing.B, s weighted, n int, yield func()) {
		p, err := lockstep.New(lockstep.WithWorkers(1))
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = p.Close() }()
		b.ReportAllocs()
		_ = p.Run(bg, func(context.Context) error {
			b.ResetTimer()
			var all tasksync.WaitGroup
			for range n {
				all.Go(rounds(s, b.N/n+1, yield))
			}
			all.Wait()
			return nil
		})
	}
	goroutines := func(b *testing.B, s weighted, n int, yield func()) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		b.ReportAllocs()
		var all sync.WaitGroup
		for range n {
			all.Go(rounds(s, b.N/n+1, yield))
		}
		all.Wait()
	}
	b.Run("free/tasksync", func(b *testing.B) { tasks(b, tasksync.NewSemaphore(1), 1, func() {}) })
	b.Run("free/x", func(b *testing.B) { goroutines(b, semaphore.NewWeighted(1), 1, func() {}) })
	b.Run("contended/tasksync", func(b *testing.B) { tasks(b, tasksync.NewSemaphore(1), crowd, lockstep.Yield) })
	b.Run("contended/x", func(b *testing.B) { goroutines(b, semaphore.NewWeighted(1), crowd, runtime.Gosched) })
}
