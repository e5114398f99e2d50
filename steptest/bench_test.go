package steptest_test

import (
	"testing"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// The price of a schedule: of two tasks that take two locks each, in an order that is right, and in one that deadlocks now and then.
func BenchmarkSchedules(b *testing.B) {
	ordered := func(*steptest.T) {
		var x, y tasksync.Mutex
		n := 0
		work := func() {
			x.Lock()
			y.Lock()
			n++
			y.Unlock()
			x.Unlock()
		}
		lockstep.Go(work)
		lockstep.Go(work)
	}
	for _, name := range []string{"random", "urw", "pct3", "pos", "portfolio"} {
		b.Run(name, func(b *testing.B) {
			s, err := steptest.ParseStrategy(name)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			r := steptest.Search(b.Name(), ordered, steptest.Schedules(b.N), steptest.Strategies(s))
			if r.Failed {
				b.Fatal(r.Text)
			}
			b.ReportMetric(float64(r.Schedules)/b.Elapsed().Seconds(), "schedules/s")
		})
	}
}
