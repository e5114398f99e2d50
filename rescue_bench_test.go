package lockstep_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// BenchmarkUrgentBesideHogs starts a task every 2 ms beside 8 that never yield, with 3 Ps, and reports how much later
// than due it began, the lateness of whoever starts it included: as goroutines, in the hogs' own queue, and in a queue of its own.
func BenchmarkUrgentBesideHogs(b *testing.B) {
	for _, way := range []struct {
		name string
		make func(b *testing.B) (hogs, urgent func(func()))
	}{
		{"goroutines", func(*testing.B) (hogs, urgent func(func())) {
			spawn := func(f func()) { go f() }
			return spawn, spawn
		}},
		{"one-queue", func(b *testing.B) (hogs, urgent func(func())) {
			p := workers(b, 2)
			return p.Go, p.Go
		}},
		{"own-queue", func(b *testing.B) (hogs, urgent func(func())) {
			p := workers(b, 2, lockstep.WithTaskQueue("urgent", lockstep.WithShares(1000)))
			return p.Go, p.TaskQueue("urgent").Go
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
			hogs, urgent := way.make(b)
			var stop atomic.Bool
			b.Cleanup(func() { stop.Store(true) }) // before the pool's, which waits for them
			var running atomic.Int32
			for range 8 {
				hogs(func() {
					running.Inc()
					for !stop.Load() {
					}
				})
			}
			until(func() bool { return running.Load() == 8 })
			var late []time.Duration
			for b.Loop() {
				due, began := time.Now().Add(2*time.Millisecond), make(chan time.Duration, 1)
				<-time.After(time.Until(due))
				urgent(func() { began <- time.Since(due) })
				late = append(late, <-began)
			}
			slices.Sort(late)
			b.ReportMetric(float64(late[len(late)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
