package lockstep_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/lockstep-go/lockstep"
)

func BenchmarkYieldN(b *testing.B) {
	for _, k := range []int{2, 10, 100, 1000} {
		b.Run(fmt.Sprint("lockstep-", k), func(b *testing.B) {
			p := newPool(b, lockstep.WithWorkers(1))
			var wg sync.WaitGroup
			n := b.N/k + 1
			b.ResetTimer()
			defer cpu(b)()
			for range k {
				wg.Add(1)
				p.Go(func() {
					defer wg.Done()
					for range n {
						lockstep.Yield()
					}
				})
			}
			wg.Wait()
		})
		b.Run(fmt.Sprint("gosched-", k), func(b *testing.B) {
			var wg sync.WaitGroup
			n := b.N/k + 1
			b.ResetTimer()
			defer cpu(b)()
			for range k {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for range n {
						runtime.Gosched()
					}
				}()
			}
			wg.Wait()
		})
	}
}
