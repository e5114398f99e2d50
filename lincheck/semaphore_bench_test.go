package lincheck_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// weighted is what both semaphores have.
type weighted interface {
	Acquire(ctx context.Context, n int64) error
	TryAcquire(n int64) bool
	Release(n int64)
}

// slice is how many calls one side makes before the other has its turn.
const slice = 5000

// BenchmarkSemaphore compares tasksync.Semaphore in tasks with golang.org/x/sync/semaphore in goroutines, in turns, so that what else
// the machine does meets both. The times are those of an Acquire with its Release. Contended: eight want the only unit, on
// one worker or one P, and who has it gives way.
func BenchmarkSemaphore(b *testing.B) {
	for _, c := range []struct {
		name  string
		crowd int
		held  bool // over a yield
	}{{"Uncontended", 1, false}, {"Contended", 8, true}} {
		b.Run(c.name, func(b *testing.B) {
			p, err := lockstep.New(lockstep.WithWorkers(1))
			require.NoError(b, err)
			defer func() { require.NoError(b, p.Close()) }()
			ours, theirs := tasksync.NewSemaphore(1), semaphore.NewWeighted(1)
			var in, out time.Duration // of tasks, of goroutines
			for b.Loop() {
				in += asTasks(p, c.crowd, func() { use(ours, slice/c.crowd, c.held, lockstep.Yield) })
				out += asGoroutines(c.crowd, func() { use(theirs, slice/c.crowd, c.held, runtime.Gosched) })
			}
			calls := float64(b.N) * slice
			b.ReportMetric(float64(in)/calls, "tasksync-ns")
			b.ReportMetric(float64(out)/calls, "x-ns")
			b.ReportMetric(float64(in)/float64(out), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func use(s weighted, times int, held bool, yield func()) {
	for range times {
		_ = s.Acquire(bg, 1)
		if held {
			yield()
		}
		s.Release(1)
	}
}

// asTasks runs f as n tasks of p and returns how long they took.
func asTasks(p *lockstep.Pool, n int, f func()) (took time.Duration) {
	_ = p.Run(bg, func(context.Context) error {
		begin := time.Now()
		var g lockstep.Group
		for range n {
			g.Go(func() error { f(); return nil })
		}
		err := g.Wait()
		took = time.Since(begin)
		return err
	})
	return took
}

// asGoroutines runs f as n goroutines on one P.
func asGoroutines(n int, f func()) time.Duration {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	begin := time.Now()
	var all sync.WaitGroup
	for range n {
		all.Go(f)
	}
	all.Wait()
	return time.Since(begin)
}
