package workload

import "github.com/lockstep-go/lockstep/bench/rival"

// The rows in this file start a pool, run one task in it, so that the start is not merely prepared, and close it.
var (
	// StartJoin1 is a pool of one worker.
	StartJoin1 = startRow("StartJoin1", "start and end of one worker", 1)
	// StartJoin is a pool of as many as the report uses.
	StartJoin = startRow("StartJoin", "start and end of all workers", 0)

	starts = []*Workload{StartJoin1, StartJoin}
)

func startRow(name, title string, workers int) *Workload {
	return &Workload{
		Name: name, Title: title, Unit: "ns/start",
		Size: 200, Quick: 3, NeedsStart: true, Variants: floatingVariant, Workers: workers,
		run: func(e *Env, n int) {
			for range n {
				p, err := e.Entry.Start(rival.Config{Workers: e.Workers})
				verify(err == nil, "start of %s: %v", e.Entry.Name, err)
				ran := make(chan struct{})
				p.Go(func() { close(ran) })
				<-ran
				p.Close()
				e.count(1)
			}
		},
	}
}
