package workload

import (
	"runtime/metrics"
	"time"
)

// peakEvery is how often memory in use is looked at. Reading it does not stop the world.
const peakEvery = time.Millisecond

// meterPeak looks at the memory in use until stop is called, which returns by how many KiB the greatest value was above
// the first. Garbage that is not collected yet is in use: a program that makes more of it needs more memory.
func meterPeak() (stop func() float64) {
	begin := memoryInUse()
	ended, result := make(chan struct{}), make(chan float64)
	go func() {
		peak := begin
		ticker := time.NewTicker(peakEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				peak = max(peak, memoryInUse())
			case <-ended:
				result <- float64(max(peak, memoryInUse())-begin) / 1024
				return
			}
		}
	}()
	return func() float64 {
		close(ended)
		return <-result
	}
}

// memoryInUse is what objects and stacks take, in bytes.
func memoryInUse() int64 {
	read := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(read)
	return int64(read[0].Value.Uint64() + read[1].Value.Uint64())
}
