package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// median is the middle value: a round in which something else ran on the machine moves it little.
func median(values []float64) float64 { return quantile(values, 0.5) }

// spread is half the distance between the quartiles in percent of the median.
func spread(values []float64) float64 {
	m := median(values)
	if m == 0 {
		return 0
	}
	return 100 * (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / math.Abs(m)
}

// pairwise applies f to the two cells' values of the same round and returns the median: what shook the machine in
// that round shook both, and a ratio of two medians would lose that.
func pairwise(a, b *Cell, f func(a, b float64) float64) float64 {
	n := min(len(a.Values), len(b.Values))
	results := make([]float64, n)
	for i := range n {
		results[i] = f(a.Values[i], b.Values[i])
	}
	return median(results)
}

func ratio(a, b *Cell) float64 {
	return pairwise(a, b, func(a, b float64) float64 { return a / b })
}

// quantile interpolates between the two nearest ranks.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// number prints three significant digits, and no fewer than the whole part.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "—"
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// times prints a ratio so that both large gains and small losses can be read off.
func times(r float64) string {
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return "—"
	}
	if r > 0 && r < 0.5 {
		return fmt.Sprintf("1/%.1f", 1/r)
	}
	return fmt.Sprintf("%.2f×", r)
}
