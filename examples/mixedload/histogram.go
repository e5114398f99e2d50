package main

import (
	"math"
	"math/bits"
	"time"
)

// histogram counts latencies in buckets whose width grows with the value: 128 to each doubling, so a
// percentile is right to better than 1 %, in memory that does not grow with the number of requests. Its
// fields are exported for encoding/json, by which a child process sends it.
type histogram struct {
	Counts map[int]int64
	N      int64
	Max    time.Duration
}

const subBits = 7

func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	if h.Counts == nil {
		h.Counts = map[int]int64{}
	}
	h.Counts[bucketOf(d)]++
	h.N++
	h.Max = max(h.Max, d)
}

// merge adds all values of another histogram.
func (h *histogram) merge(other *histogram) {
	if h.Counts == nil {
		h.Counts = map[int]int64{}
	}
	for b, n := range other.Counts {
		h.Counts[b] += n
	}
	h.N += other.N
	h.Max = max(h.Max, other.Max)
}

// quantile returns the smallest value that at least the share q of all values does not exceed, 0 when empty.
func (h *histogram) quantile(q float64) time.Duration {
	if h.N == 0 {
		return 0
	}
	// The small term keeps 0.99*100 = 99.00000000000001 from asking for the hundredth value.
	rank := int64(math.Ceil(q*float64(h.N) - 1e-9*float64(h.N)))
	rank = min(max(rank, 1), h.N)
	var seen int64
	for b := 0; b <= bucketOf(h.Max); b++ {
		if seen += h.Counts[b]; seen >= rank {
			return min(upperOf(b), h.Max)
		}
	}
	return h.Max
}

// bucketOf maps small values to themselves and others to their leading subBits+1 bits and their exponent.
func bucketOf(d time.Duration) int {
	v := uint64(d)
	exp := max(bits.Len64(v)-subBits-1, 0)
	return exp<<subBits + int(v>>exp)
}

// upperOf is the largest value in a bucket.
func upperOf(b int) time.Duration {
	exp := max(b>>subBits-1, 0)
	lead := uint64(b - exp<<subBits)
	return time.Duration((lead+1)<<exp - 1)
}
