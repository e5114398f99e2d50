package workload

import (
	"slices"
	"sync"
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// The rows in this file are how long an urgent task waits beside 200 bulk tasks that keep every processor busy. One is
// due every millisecond, and its wait counts from then: a generator that is itself held up must not hide that.
//
// Each rival does about urgency what it can. Lockstep has two task queues. The others run the urgent tasks in a second
// pool of their own kind, because behind 200 bulk tasks in one queue a fixed number of goroutines would never get to
// them, which their users know.
var (
	// LatencyYield has bulk tasks that give way after every piece of work.
	LatencyYield = latencyRow("LatencyYield", "beside 200 bulk tasks that yield", true)
	// LatencyNever has bulk tasks that never do.
	LatencyNever = latencyRow("LatencyNever", "beside 200 bulk tasks that never yield", false)

	latency = []*Workload{LatencyYield, LatencyNever}
)

const (
	bulkTasks   = 200
	bulkClass   = "bulk"
	urgentClass = "urgent"
	urgentEvery = time.Millisecond
	// bulkPieces of bulkPiece rounds are a bulk task: about 2 ms in pieces of 20 µs.
	bulkPieces = 100
	bulkPiece  = 10_000
)

func latencyRow(name, words string, yields bool) *Workload {
	return &Workload{
		Name: name, Title: "urgent task, p50 since due, " + words, Unit: "µs",
		Also: []Metric{
			{name + "P99", "urgent task, p99 since due, " + words, "µs"},
			{name + "Bulk", "piece of bulk work meanwhile, " + words, "µs/piece"},
		},
		Size: 1_000, Quick: 30,
		Variants: []string{rival.LockstepFloatingName, rival.LockstepSpareName},
		Classes: []rival.Class{
			{Name: urgentClass, Shares: 1000, Latency: 200 * time.Microsecond},
			{Name: bulkClass, Shares: 100},
		},
		value: func(e *Env, n int) float64 { return urgencies(e, n, yields) },
	}
}

// urgencies runs n urgent tasks beside bulk work and returns the median of their latencies.
func urgencies(e *Env, n int, yields bool) float64 {
	// A run that only proves that it runs has as few bulk tasks as urgent ones.
	bulk := &bulkWork{env: e, tasks: min(bulkTasks, max(n/5, 4)), yield: func() {}}
	if yields {
		bulk.yield = e.Pool.Yield
		if polite, ok := e.Pool.(rival.Polite); ok {
			bulk.yield = polite.YieldIfNeeded
		}
	}
	urgent, end := urgently(e)
	defer end()
	bulk.begin()
	began, before := time.Now(), bulk.pieces.Load()
	took := drive(n, urgent)
	elapsed, pieces := time.Since(began), bulk.pieces.Load()-before
	bulk.end()
	e.count(n)
	slices.Sort(took)
	e.also = []float64{micros(took[len(took)*99/100]), micros(elapsed) / float64(max(pieces, 1))}
	return micros(took[len(took)/2])
}

// drive has a task run every millisecond and returns how long after it was due each has begun.
func drive(n int, urgent func(func())) []time.Duration {
	took := make([]time.Duration, n)
	var wg sync.WaitGroup
	wg.Add(n)
	begin := time.Now()
	for i := range n {
		due := begin.Add(time.Duration(i) * urgentEvery)
		time.Sleep(time.Until(due))
		urgent(func() {
			took[i] = time.Since(due)
			wg.Done()
		})
	}
	wg.Wait()
	return took
}

// urgently returns how this rival starts an urgent task, and what ends that.
func urgently(e *Env) (start func(func()), end func()) {
	if c, ok := e.Pool.(rival.Classed); ok {
		return func(f func()) { c.GoIn(urgentClass, f) }, func() {}
	}
	second, err := e.Entry.Start(rival.Config{Workers: e.Workers})
	verify(err == nil, "a second %s: %v", e.Entry.Name, err)
	return second.Go, second.Close
}

// bulkWork is a number of tasks at any time: when one ends, another begins.
type bulkWork struct {
	env     *Env
	tasks   int
	yield   func()
	stopped atomic.Bool
	left    sync.WaitGroup
	pieces  atomic.Int64
}

// begin starts the work and returns when it is under way. Where Go can block, a task must not call it, and a goroutine
// for each of them does.
func (b *bulkWork) begin() {
	for range b.tasks {
		if b.env.Entry.NeverBlocks {
			b.left.Add(1)
			b.env.goIn(bulkClass, b.chain)
			continue
		}
		b.left.Go(func() {
			for !b.stopped.Load() {
				ended := make(chan struct{})
				b.env.Pool.Go(func() {
					b.task()
					close(ended)
				})
				<-ended
			}
		})
	}
	for b.pieces.Load() < int64(b.tasks) {
		time.Sleep(time.Millisecond)
	}
}

func (b *bulkWork) end() {
	b.stopped.Store(true)
	b.left.Wait()
}

// chain is a task that starts its successor.
func (b *bulkWork) chain() {
	b.task()
	if b.stopped.Load() {
		b.left.Done()
		return
	}
	b.env.goIn(bulkClass, b.chain)
}

func (b *bulkWork) task() {
	x := uint64(1)
	for range bulkPieces {
		for range bulkPiece {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		b.pieces.Inc()
		b.yield()
	}
	verify(x != 0, "the generator has reached zero, which it does not")
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
