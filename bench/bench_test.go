package bench

import (
	"runtime"
	"testing"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

func BenchmarkOutside1(b *testing.B)        { each(b, workload.Outside1) }
func BenchmarkOutside8(b *testing.B)        { each(b, workload.Outside8) }
func BenchmarkOutsideOne(b *testing.B)      { each(b, workload.OutsideOne) }
func BenchmarkBatch256(b *testing.B)        { each(b, workload.Batch256) }
func BenchmarkTree16(b *testing.B)          { each(b, workload.Tree16) }
func BenchmarkInsideDrain(b *testing.B)     { each(b, workload.InsideDrain) }
func BenchmarkInsideOne(b *testing.B)       { each(b, workload.InsideOne) }
func BenchmarkSpawnWait(b *testing.B)       { each(b, workload.SpawnWait) }
func BenchmarkYield1000(b *testing.B)       { each(b, workload.Yield1000) }
func BenchmarkYieldLone(b *testing.B)       { each(b, workload.YieldLone) }
func BenchmarkYieldIfNeeded(b *testing.B)   { each(b, workload.YieldIfNeeded) }
func BenchmarkNeedYield(b *testing.B)       { each(b, workload.NeedYield) }
func BenchmarkDirectCall(b *testing.B)      { each(b, workload.DirectCall) }
func BenchmarkBlockOff(b *testing.B)        { each(b, workload.BlockOff) }
func BenchmarkBlockOffClosure(b *testing.B) { each(b, workload.BlockOffClosure) }
func BenchmarkBlockOn(b *testing.B)         { each(b, workload.BlockOn) }
func BenchmarkMemory(b *testing.B)          { each(b, workload.Memory) }
func BenchmarkMemoryInside(b *testing.B)    { each(b, workload.MemoryInside) }
func BenchmarkNoise100Alone(b *testing.B)   { each(b, workload.Noise100Alone) }
func BenchmarkNoise100Other(b *testing.B)   { each(b, workload.Noise100Other) }
func BenchmarkNoise100Same(b *testing.B)    { each(b, workload.Noise100Same) }
func BenchmarkNoise1000Alone(b *testing.B)  { each(b, workload.Noise1000Alone) }
func BenchmarkNoise1000Other(b *testing.B)  { each(b, workload.Noise1000Other) }
func BenchmarkNoise1000Same(b *testing.B)   { each(b, workload.Noise1000Same) }

// each runs the workload as one sub-benchmark for every rival that takes part, so that benchstat can lay the rivals
// side by side with -col.
func each(b *testing.B, w *workload.Workload) {
	for _, r := range rival.All() {
		if ok, _ := w.TakesPart(r); ok {
			b.Run("rival="+r.Name, func(b *testing.B) { one(b, w, r) })
		}
	}
}

// one reports the workload's own unit beside Go's ns/op: an operation of Go's is a repetition, which may be a batch.
func one(b *testing.B, w *workload.Workload, r rival.Entry) {
	workers := runtime.GOMAXPROCS(0)
	if !w.Timed() {
		var sum float64
		rounds := 0
		for b.Loop() {
			s, err := w.Measure(r, workers, w.SizeFor(r))
			if err != nil {
				b.Fatal(err)
			}
			sum += s.Value
			rounds++
		}
		b.ReportMetric(sum/float64(rounds), w.Unit)
		return
	}
	run, stop, err := w.Prepare(r, workers)
	if err != nil {
		b.Fatal(err)
	}
	defer stop()
	b.ReportAllocs()
	b.ResetTimer()
	run(b.N)
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.PerRepetition()), w.Unit)
}
