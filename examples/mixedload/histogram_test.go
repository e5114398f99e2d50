package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBucketsAreNarrowAndInOrder(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 127, 128, 255, 256, 257, 1000, 20_000, 65_535, 65_536, 1e9, 1e12, 1<<63 - 1} {
		b := bucketOf(d)
		require.GreaterOrEqual(t, upperOf(b), d)
		require.LessOrEqual(t, float64(upperOf(b)-d), float64(d)/128, "%d", d)
		if b > 0 {
			require.Less(t, upperOf(b-1), d)
		}
	}
}

func TestQuantilesAgainstSortedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{1, 2, 99, 100, 101, 1000, 4321} {
		var h histogram
		values := make([]time.Duration, n)
		for i := range values {
			values[i] = time.Duration(rng.ExpFloat64() * 1e6)
			h.add(values[i])
		}
		slices.Sort(values)
		for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999, 1} {
			rank := max(int(q*float64(n)+0.999999), 1)
			require.InEpsilon(t, float64(values[rank-1])+1, float64(h.quantile(q))+1, 0.01, "n=%d q=%v", n, q)
		}
		require.Equal(t, values[n-1], h.quantile(1))
	}
}

func TestEmptyHistogram(t *testing.T) {
	var h histogram
	require.Zero(t, h.quantile(0.5))
	h.add(-time.Second)
	require.Zero(t, h.Max, "a clock that goes back makes no negative latency")
}

func TestHistogramTravelsAsJSON(t *testing.T) {
	var h, got histogram
	for d := time.Duration(1); d < time.Second; d *= 3 {
		h.add(d)
	}
	text, err := json.Marshal(h)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, h, got)
}
