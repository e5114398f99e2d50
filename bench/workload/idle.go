package workload

import (
	"time"

	"github.com/lockstep-go/lockstep/bench/usage"
)

// Idle is a pool that has worked and has nothing to do now. A repetition is a millisecond of that. What the go
// statement shows is the Go runtime's own, and the benchmark's.
var (
	Idle = &Workload{
		Name: "Idle", Title: "idle pool, CPU time", Unit: "% of a CPU",
		Also: []Metric{{"IdleWakes", "idle pool, voluntary context switches", "per second"}},
		Size: 1_000, Quick: 20, Variants: floatingVariant,
		value: idling,
	}

	idle = []*Workload{Idle}
)

// settling is how long a pool has to come to rest, spinning included.
const settling = 100 * time.Millisecond

func idling(e *Env, n int) float64 {
	e.in(func() {})
	time.Sleep(settling)
	before, ok := usage.Own()
	began := time.Now()
	time.Sleep(time.Duration(n) * time.Millisecond)
	elapsed := time.Since(began)
	after, _ := usage.Own()
	verify(ok, "this system does not tell how much CPU time a process takes")
	e.count(n)
	e.also = []float64{float64(after.Switches-before.Switches) / elapsed.Seconds()}
	return 100 * (after.CPU - before.CPU).Seconds() / elapsed.Seconds()
}
