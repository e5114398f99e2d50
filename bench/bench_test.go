package bench

import (
	"flag"
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

func BenchmarkOutside1(b *testing.B)           { each(b, workload.Outside1) }
func BenchmarkOutside8(b *testing.B)           { each(b, workload.Outside8) }
func BenchmarkOutsideOne(b *testing.B)         { each(b, workload.OutsideOne) }
func BenchmarkBatch256(b *testing.B)           { each(b, workload.Batch256) }
func BenchmarkTree16(b *testing.B)             { each(b, workload.Tree16) }
func BenchmarkInsideDrain(b *testing.B)        { each(b, workload.InsideDrain) }
func BenchmarkInsideOne(b *testing.B)          { each(b, workload.InsideOne) }
func BenchmarkSpawnWait(b *testing.B)          { each(b, workload.SpawnWait) }
func BenchmarkYield1000(b *testing.B)          { each(b, workload.Yield1000) }
func BenchmarkYieldLone(b *testing.B)          { each(b, workload.YieldLone) }
func BenchmarkYieldIfNeeded(b *testing.B)      { each(b, workload.YieldIfNeeded) }
func BenchmarkNeedYield(b *testing.B)          { each(b, workload.NeedYield) }
func BenchmarkDirectCall(b *testing.B)         { each(b, workload.DirectCall) }
func BenchmarkBlockOff(b *testing.B)           { each(b, workload.BlockOff) }
func BenchmarkBlockOffClosure(b *testing.B)    { each(b, workload.BlockOffClosure) }
func BenchmarkBlockOn(b *testing.B)            { each(b, workload.BlockOn) }
func BenchmarkMemory(b *testing.B)             { each(b, workload.Memory) }
func BenchmarkMemoryInside(b *testing.B)       { each(b, workload.MemoryInside) }
func BenchmarkNoise100Alone(b *testing.B)      { each(b, workload.Noise100Alone) }
func BenchmarkNoise100Other(b *testing.B)      { each(b, workload.Noise100Other) }
func BenchmarkNoise100Same(b *testing.B)       { each(b, workload.Noise100Same) }
func BenchmarkNoise1000Alone(b *testing.B)     { each(b, workload.Noise1000Alone) }
func BenchmarkNoise1000Other(b *testing.B)     { each(b, workload.Noise1000Other) }
func BenchmarkNoise1000Same(b *testing.B)      { each(b, workload.Noise1000Same) }
func BenchmarkRoundTrip1(b *testing.B)         { each(b, workload.RoundTrip1) }
func BenchmarkRoundTrip64(b *testing.B)        { each(b, workload.RoundTrip64) }
func BenchmarkPingPongOutside(b *testing.B)    { each(b, workload.PingPongOutside) }
func BenchmarkPingPongInside(b *testing.B)     { each(b, workload.PingPongInside) }
func BenchmarkSections1Plain(b *testing.B)     { each(b, workload.Sections1Plain) }
func BenchmarkSections1Off(b *testing.B)       { each(b, workload.Sections1Off) }
func BenchmarkSections1Block(b *testing.B)     { each(b, workload.Sections1Block) }
func BenchmarkSections1000Plain(b *testing.B)  { each(b, workload.Sections1000Plain) }
func BenchmarkSections1000Off(b *testing.B)    { each(b, workload.Sections1000Off) }
func BenchmarkSections1000Block(b *testing.B)  { each(b, workload.Sections1000Block) }
func BenchmarkSections10000Plain(b *testing.B) { each(b, workload.Sections10000Plain) }
func BenchmarkSections10000Off(b *testing.B)   { each(b, workload.Sections10000Off) }
func BenchmarkSections10000Block(b *testing.B) { each(b, workload.Sections10000Block) }
func BenchmarkMemoryParked(b *testing.B)       { each(b, workload.MemoryParked) }
func BenchmarkLatencyYield(b *testing.B)       { each(b, workload.LatencyYield) }
func BenchmarkLatencyNever(b *testing.B)       { each(b, workload.LatencyNever) }
func BenchmarkRealHash(b *testing.B)           { each(b, workload.RealHash) }
func BenchmarkRealSieve(b *testing.B)          { each(b, workload.RealSieve) }
func BenchmarkRealChat(b *testing.B)           { each(b, workload.RealChat) }
func BenchmarkRealSort(b *testing.B)           { each(b, workload.RealSort) }
func BenchmarkRealMandelbrot(b *testing.B)     { each(b, workload.RealMandelbrot) }
func BenchmarkRealPipeline(b *testing.B)       { each(b, workload.RealPipeline) }
func BenchmarkStartJoin1(b *testing.B)         { each(b, workload.StartJoin1) }
func BenchmarkStartJoin(b *testing.B)          { each(b, workload.StartJoin) }
func BenchmarkIdle(b *testing.B)               { each(b, workload.Idle) }
func BenchmarkScale1(b *testing.B)             { each(b, workload.Scale1) }
func BenchmarkScale2(b *testing.B)             { each(b, workload.Scale2) }
func BenchmarkScale4(b *testing.B)             { each(b, workload.Scale4) }
func BenchmarkScale8(b *testing.B)             { each(b, workload.Scale8) }
func BenchmarkScale16(b *testing.B)            { each(b, workload.Scale16) }
func BenchmarkTasks100(b *testing.B)           { each(b, workload.Tasks100) }
func BenchmarkTasks1000(b *testing.B)          { each(b, workload.Tasks1000) }
func BenchmarkTasks10000(b *testing.B)         { each(b, workload.Tasks10000) }
func BenchmarkTasks100000(b *testing.B)        { each(b, workload.Tasks100000) }
func BenchmarkQueues1(b *testing.B)            { each(b, workload.Queues1) }
func BenchmarkQueues10(b *testing.B)           { each(b, workload.Queues10) }
func BenchmarkQueues100(b *testing.B)          { each(b, workload.Queues100) }
func BenchmarkAskOutside(b *testing.B)         { each(b, workload.AskOutside) }
func BenchmarkAskInside(b *testing.B)          { each(b, workload.AskInside) }
func BenchmarkLocalChannelAlone(b *testing.B)  { each(b, workload.LocalChannelAlone) }
func BenchmarkLocalChannel1(b *testing.B)      { each(b, workload.LocalChannel1) }
func BenchmarkLocalChannel1024(b *testing.B)   { each(b, workload.LocalChannel1024) }
func BenchmarkSharedChannel1(b *testing.B)     { each(b, workload.SharedChannel1) }
func BenchmarkSharedChannel1024(b *testing.B)  { each(b, workload.SharedChannel1024) }
func BenchmarkSPSCAlone(b *testing.B)          { each(b, workload.SPSCAlone) }
func BenchmarkSPSC1024(b *testing.B)           { each(b, workload.SPSC1024) }
func BenchmarkSharded(b *testing.B)            { each(b, workload.Sharded) }
func BenchmarkSemaphoreFree(b *testing.B)      { each(b, workload.SemaphoreFree) }
func BenchmarkSemaphoreContended(b *testing.B) { each(b, workload.SemaphoreContended) }
func BenchmarkSemaphoreSignal(b *testing.B)    { each(b, workload.SemaphoreSignal) }

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
			n := w.SizeFor(r)
			if proving() {
				n = w.Quick
			}
			s, err := w.Measure(r, workers, n)
			if err != nil {
				b.Fatal(err)
			}
			sum += s.Value
			rounds++
		}
		b.ReportMetric(sum/float64(rounds), unit(w))
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
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.PerRepetition()), unit(w))
}

// unit is the row's unit as package testing wants it, without spaces.
func unit(w *workload.Workload) string { return strings.ReplaceAll(w.Unit, " ", "-") }

// proving says that the benchmarks are run with -benchtime 1x, which is there to show that they run.
func proving() bool { return flag.Lookup("test.benchtime").Value.String() == "1x" }
