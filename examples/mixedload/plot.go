package main

import (
	"fmt"
	"math"
	"runtime"
	"time"
)

// The picture: the latency curves with their legend above, one small CPU chart for each lockstep mode below.
const (
	plotWidth  = 1120.0
	marginLeft = 84.0
	curveRight = 722.0
	curveTop   = 84.0
	curveLow   = 454.0
	legendLeft = 752.0
	chartsTop  = 560.0
	chartHigh  = 150.0
	chartRow   = 226.0
	perRow     = 4
)

var (
	title   = font{size: 19, color: "#1b1b1b", anchor: "start", bold: true}
	heading = font{size: 15, color: "#1b1b1b", anchor: "start", bold: true}
	note    = font{size: 12, color: "#5a5a5a", anchor: "start"}
	strong  = font{size: 12, color: "#1b1b1b", anchor: "start", bold: true}
	tickX   = font{size: 11.5, color: "#444444", anchor: "middle"}
	tickY   = font{size: 11.5, color: "#444444", anchor: "end"}
	axis    = font{size: 12.5, color: "#333333", anchor: "middle"}
	grid    = stroke{color: "#e3e3e3", width: 1}
	frame   = stroke{color: "#9a9a9a", width: 1}
)

// drawPlot returns the picture as an SVG file.
func drawPlot(cfg *config, results []*phaseResult) []byte {
	var charts []*phaseResult
	for _, r := range results {
		if r.mode.queues {
			charts = append(charts, r)
		}
	}
	height := curveLow + 66
	if rows := (len(charts) + perRow - 1) / perRow; rows > 0 {
		height = chartsTop + float64(rows)*chartRow
	}
	s := newSVG(plotWidth, height)
	s.text(marginLeft-60, 34, title, "Urgent requests beside bulk work that fills every core")
	s.text(marginLeft-60, 55, note, fmt.Sprintf("%d requests/s for %v a mode, %s client; bulk: gzip and SHA-256, %d tasks at a time; %d CPUs, %s/%s, %s",
		cfg.rate, cfg.duration, clientWord(cfg.client), cfg.bulk, cfg.procs, runtime.GOOS, runtime.GOARCH, runtime.Version()))
	drawCurves(s, results)
	drawLegend(s, results)
	if len(charts) > 0 {
		s.text(marginLeft-60, chartsTop-38, heading, "Share of the CPUs over time")
		drawCharts(s, cfg, charts)
	}
	return s.bytes()
}

func clientWord(client string) string {
	if client == clientInside {
		return "in-process"
	}
	return "child-process"
}

// drawCurves draws latency over percentile. The x axis is logarithmic in what is left above the percentile,
// because the tail is what the modes differ in: from 99 to 99.9 is as far as from 90 to 99.
func drawCurves(s *svg, results []*phaseResult) {
	low, high, most := time.Hour, time.Duration(0), int64(10)
	for _, r := range results {
		if r.load.Latency.N > 0 {
			low, high = min(low, r.load.Latency.quantile(0)), max(high, r.load.Latency.Max)
			most = max(most, r.load.Latency.N)
		}
	}
	from, to := around(low, high)
	y := scale{low: from, high: to, from: curveLow, to: curveTop, log: true}
	nines := min(max(math.Ceil(math.Log10(float64(most))), 2), 6)
	x := scale{low: 1, high: math.Pow(10, nines), from: marginLeft, to: curveRight, log: true}
	for _, v := range decades(from, to) {
		for m := 2.0; m < 10 && v*m < to; m++ {
			s.line(marginLeft, y.at(v*m), curveRight, y.at(v*m), stroke{color: "#f3f3f3", width: 1})
		}
		s.line(marginLeft, y.at(v), curveRight, y.at(v), grid)
		s.text(marginLeft-8, y.at(v)+4, tickY, round(time.Duration(v)))
	}
	for _, v := range decades(1, x.high) {
		s.line(x.at(v), curveTop, x.at(v), curveLow, grid)
		s.text(x.at(v), curveLow+18, tickX, percentile(v))
	}
	s.line(x.at(2), curveTop, x.at(2), curveLow, grid)
	s.text(x.at(2), curveLow+18, tickX, "50 %")
	s.line(marginLeft, curveLow, curveRight, curveLow, frame)
	s.line(marginLeft, curveTop, marginLeft, curveLow, frame)
	s.text((marginLeft+curveRight)/2, curveLow+40, axis, "percentile of requests (the tail is stretched)")
	s.upright(marginLeft-62, (curveTop+curveLow)/2, axis, "latency since due (log scale)")
	for _, r := range results {
		s.path(curve(&r.load.Latency, x, y), stroke{r.mode.color, 2.2, r.mode.dash}, r.mode.label)
	}
}

// curve samples the distribution evenly along the x axis up to the last request, 1-1/n.
func curve(h *histogram, x, y scale) (points []point) {
	if h.N == 0 {
		return nil
	}
	const steps = 240
	last := min(float64(h.N), x.high)
	for i := range steps + 1 {
		v := math.Pow(last, float64(i)/steps)
		points = append(points, point{x.at(v), y.at(float64(h.quantile(1 - 1/v)))})
	}
	return points
}

// drawLegend names the curves, from the slowest p99 down as they lie in the plot, with the figures.
func drawLegend(s *svg, results []*phaseResult) {
	const p99, p999 = plotWidth - 82, plotWidth - 20
	s.text(legendLeft, curveTop+4, strong, "mode")
	s.text(p99, curveTop+4, font{12, strong.color, "end", true}, "p99")
	s.text(p999, curveTop+4, font{12, strong.color, "end", true}, "p99.9")
	figures := font{12, "#444444", "end", false}
	for i, r := range slowestFirst(results) {
		top := curveTop + 32 + float64(i)*27
		s.line(legendLeft, top-4, legendLeft+26, top-4, stroke{r.mode.color, 2.6, r.mode.dash})
		s.text(legendLeft+34, top, font{12, "#1b1b1b", "start", false}, r.mode.label)
		s.text(p99, top, figures, short(r.load.Latency.quantile(0.99)))
		s.text(p999, top, figures, short(r.load.Latency.quantile(0.999)))
	}
}

// percentile writes 1/(1-p) as the percentile p.
func percentile(v float64) string {
	if v < 1.5 {
		return "0 %"
	}
	digits := max(int(math.Round(math.Log10(v)))-2, 0)
	return fmt.Sprintf("%.*f %%", digits, 100-100/v)
}

// round writes a power of ten of a duration.
func round(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d/time.Microsecond)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	default:
		return fmt.Sprintf("%d s", d/time.Second)
	}
}
