package main

import (
	"math"
	"time"
)

// scale maps values to places along one axis of the picture.
type scale struct {
	low, high float64 // values at the ends
	from, to  float64 // their places
	log       bool
}

// at returns the place of v; what lies outside is drawn at the edge.
func (s scale) at(v float64) float64 {
	v = min(max(v, s.low), s.high)
	share := (v - s.low) / (s.high - s.low)
	if s.log {
		share = math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return s.from + share*(s.to-s.from)
}

// decades are the powers of ten from low to high.
func decades(low, high float64) (ticks []float64) {
	for e := math.Round(math.Log10(low)); math.Pow(10, e) <= high*1.0001; e++ {
		ticks = append(ticks, math.Pow(10, e))
	}
	return ticks
}

// around widens a range of latencies to whole decades.
func around(low, high time.Duration) (from, to float64) {
	low, high = max(low, time.Microsecond), max(high, 10*time.Microsecond)
	from = math.Pow(10, math.Floor(math.Log10(float64(low))+1e-9))
	to = math.Pow(10, math.Ceil(math.Log10(float64(high))-1e-9))
	return from, max(to, from*10)
}

// niceStep is a round distance between ticks that gives about the wished number of them.
func niceStep(length float64, ticks int) float64 {
	raw := length / float64(max(ticks, 1))
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*unit*1.0001 {
			return m * unit
		}
	}
	return 10 * unit
}
