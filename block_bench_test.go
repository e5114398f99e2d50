package lockstep_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/lockstep-go/lockstep"
)

// lookUp is the work of a section: an empty map, looked up n times.
func lookUp(n int) func() {
	return func() {
		m, found := map[int]int{}, 0
		for i := range n {
			found += m[i]
		}
		if found != 0 { // so that the look-ups are not dropped
			panic("found")
		}
	}
}

// BenchmarkSections runs batches of 256 tasks from outside, each with one section, in which way the name says: no section,
// in place, moved. The batch is what tokio's users measured block_in_place with (tentacle's discussion of its flag).
func BenchmarkSections(b *testing.B) {
	const batch = 256
	for _, n := range []int{1, 1_000, 10_000} {
		work := lookUp(n)
		for _, way := range []struct {
			name string
			task func()
		}{
			{"none", work},
			{"place", func() { lockstep.BlockInPlace(work) }},
			{"moved", func() { lockstep.BlockInPlace(work, move) }},
		} {
			b.Run(fmt.Sprintf("lookups=%d/%s", n, way.name), func(b *testing.B) {
				p := workers(b, 2)
				b.ReportAllocs()
				for b.Loop() {
					var wg sync.WaitGroup
					wg.Add(batch)
					for range batch {
						p.Go(func() { way.task(); wg.Done() })
					}
					wg.Wait()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch), "ns/section")
			})
		}
	}
}
