package workload

import (
	"fmt"
	"runtime"
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// Sample is the result of one measured round of one rival.
type Sample struct {
	// Value is per operation, in the workload's unit.
	Value float64
	// Allocs and Bytes are what one operation allocated on the heap, whoever did it.
	Allocs, Bytes float64
	// Elapsed is the duration of the whole measured part.
	Elapsed time.Duration
	// Also are the further results, in the order of the workload's Also.
	Also []float64
}

// Measure starts the rival, warms it up with a tenth of the work, measures n repetitions and closes it. Every sample
// gets a fresh pool, because a pool of another rival that merely idles beside it would still run its monitors.
func (w *Workload) Measure(r rival.Entry, workers, n int) (Sample, error) {
	e, stop, err := w.start(r, workers)
	if err != nil {
		return Sample{}, err
	}
	defer stop()
	if w.Timed() {
		w.run(e, max(n/10, 1))
	}
	return w.sample(e, n), nil
}

// Prepare starts the rival for a caller that has a clock of its own: run does repetitions, stop ends the rival.
func (w *Workload) Prepare(r rival.Entry, workers int) (run func(n int), stop func(), err error) {
	e, stop, err := w.start(r, workers)
	if err != nil {
		return nil, nil, err
	}
	return func(n int) { w.run(e, n) }, stop, nil
}

// Check runs n repetitions with a counter and returns how many operations took place and how many should have.
func (w *Workload) Check(r rival.Entry, workers, n int) (got, want int, err error) {
	e, stop, err := w.start(r, workers)
	if err != nil {
		return 0, 0, err
	}
	e.ran = new(atomic.Int64)
	w.sample(e, n)
	stop() // before the count is read: a task that runs twice may do so late
	return int(e.ran.Load()), n * w.PerRepetition(), nil
}

// Timed says whether the result is a duration. The others measure themselves, and only Measure can run them.
func (w *Workload) Timed() bool { return w.run != nil }

func (w *Workload) start(r rival.Entry, workers int) (*Env, func(), error) {
	if w.Workers > 0 {
		workers = w.Workers
	}
	p, err := r.Start(rival.Config{Workers: workers, InProgress: w.InProgress, Classes: w.Classes})
	if err != nil {
		return nil, nil, fmt.Errorf("start %s for %s: %w", r.Name, w.Name, err)
	}
	e := &Env{Pool: p, Entry: r, Workers: workers}
	if w.setup == nil {
		return e, p.Close, nil
	}
	teardown := w.setup(e)
	return e, func() { teardown(); p.Close() }, nil
}

// sample collects garbage first, so that no rival pays for the leavings of the one before it.
func (w *Workload) sample(e *Env, n int) Sample {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	stopMeter := func() float64 { return 0 }
	if w.peaks {
		stopMeter = meterPeak()
	}
	start := time.Now()
	var value float64
	if w.Timed() {
		w.run(e, n)
	} else {
		value = w.value(e, n)
	}
	elapsed := time.Since(start)
	if peak := stopMeter(); w.peaks {
		e.also = append(e.also, peak)
	}
	runtime.ReadMemStats(&after)
	ops := float64(n * w.PerRepetition())
	if w.Timed() {
		value = float64(elapsed.Nanoseconds()) / ops
	}
	return Sample{
		Value:   value,
		Allocs:  float64(after.Mallocs-before.Mallocs) / ops,
		Bytes:   float64(after.TotalAlloc-before.TotalAlloc) / ops,
		Elapsed: elapsed,
		Also:    e.also,
	}
}
