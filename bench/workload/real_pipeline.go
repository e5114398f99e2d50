package workload

// RealPipeline is a chain of eight tasks with channels between them; each adds one to what passes. A repetition is a
// number that has gone through all of it.
var RealPipeline = realRow("RealPipeline", "pipeline of eight tasks", "ns/number", func(e *Env, n int) {
	first := e.Pool.NewLine(pipelineBuffer)
	last := first
	for range pipelineStages {
		in, out := last, e.Pool.NewLine(pipelineBuffer)
		e.Pool.Go(func() {
			for v, ok := in.Get(); ok; v, ok = in.Get() {
				out.Put(v + 1)
			}
			out.Close()
		})
		last = out
	}
	e.Pool.Go(func() {
		for v := range n {
			first.Put(v)
		}
		first.Close()
	})
	sum := int64(0)
	e.in(func() {
		for v, ok := last.Get(); ok; v, ok = last.Get() {
			sum += int64(v)
			e.count(1)
		}
	})
	want := int64(n)*int64(n-1)/2 + int64(n)*pipelineStages
	verify(sum == want, "pipeline: a sum of %d instead of %d", sum, want)
}).sized(50_000, 500, 1, pipelineStages+2)

const (
	pipelineStages = 8
	pipelineBuffer = 64
)
