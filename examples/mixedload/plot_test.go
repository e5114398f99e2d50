package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPlotIsWellFormed(t *testing.T) {
	odd := measured("two", 300*time.Microsecond, 20)
	copied := *odd.mode
	copied.label = `<two> & "more"`
	odd.mode = &copied
	empty := measured("one", time.Millisecond, 1)
	empty.load, empty.windows = &loadResult{}, nil
	for _, results := range [][]*phaseResult{
		{measured("plain", 40*time.Millisecond, 20), odd, measured("two+spare", 100*time.Microsecond, 20)},
		{empty},
		{measured("idle", time.Hour, 0)},
		nil,
	} {
		doc := drawPlot(reportConfig(), results)
		wellFormed(t, doc)
		require.NotContains(t, string(doc), "NaN")
		require.NotContains(t, string(doc), "Inf")
	}
}

func TestCurveRises(t *testing.T) {
	var h histogram
	for i := range 5000 {
		h.add(time.Duration(i+1) * time.Microsecond)
	}
	x := scale{low: 1, high: 1e4, from: 0, to: 400, log: true}
	y := scale{low: 1e3, high: 1e7, from: 100, to: 0, log: true}
	points := curve(&h, x, y)
	for i := 1; i < len(points); i++ {
		require.Greater(t, points[i].x, points[i-1].x)
		require.LessOrEqual(t, points[i].y, points[i-1].y, "higher latency is drawn higher up")
	}
	require.InDelta(t, x.at(5000), points[len(points)-1].x, 0.01, "ends at the last request")
}

func TestScales(t *testing.T) {
	log := scale{low: 1, high: 1000, from: 0, to: 300, log: true}
	require.InDelta(t, 100, log.at(10), 1e-9)
	require.InDelta(t, 0, log.at(0), 1e-9, "drawn at the edge")
	require.InDelta(t, 300, log.at(math.Inf(1)), 1e-9)
	require.InDelta(t, 50, scale{low: 0, high: 2, from: 100, to: 0}.at(1), 1e-9)
	require.InDeltaSlice(t, []float64{0.1, 1, 10, 100}, decades(0.1, 100), 1e-9)
	from, to := around(30*time.Microsecond, 40*time.Millisecond)
	require.InDelta(t, 1e4, from, 1)
	require.InDelta(t, 1e8, to, 1)
	from, to = around(0, 0)
	require.Greater(t, to, from)
	require.InDelta(t, 1, niceStep(4, 4), 1e-9)
	require.InDelta(t, 0.05, niceStep(0.15, 4), 1e-9)
	require.InDelta(t, 5, niceStep(20, 4), 1e-9)
}

func TestLabelsOfPercentiles(t *testing.T) {
	var got []string
	for _, v := range decades(1, 1e5) {
		got = append(got, percentile(v))
	}
	require.Equal(t, "0 % 90 % 99 % 99.9 % 99.99 % 99.999 %", strings.Join(got, " "))
}
