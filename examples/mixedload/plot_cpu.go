package main

import (
	"cmp"
	"fmt"
	"slices"
)

const (
	urgentColor = "#d1495b"
	bulkColor   = "#30638e"
	// leastShare is the bottom of the CPU charts. The axis is logarithmic, since urgent work is about one
	// hundredth of bulk work and both should be readable.
	leastShare = 0.1
)

// drawCharts draws the share of the CPUs over time for each lockstep mode.
func drawCharts(s *svg, cfg *config, results []*phaseResult) {
	s.line(330, chartsTop-43, 352, chartsTop-43, stroke{color: bulkColor, width: 2.6})
	s.text(359, chartsTop-39, note, "bulk")
	s.line(406, chartsTop-43, 428, chartsTop-43, stroke{color: urgentColor, width: 2.6})
	s.text(435, chartsTop-39, note, "urgent")
	s.text(494, chartsTop-39, note, "two queues: Stats().Queues' RunTime; one queue: clocks around the work")
	gap := 30.0
	wide := (plotWidth - marginLeft - 20 - gap*(perRow-1)) / perRow
	for i, r := range results {
		left := marginLeft + float64(i%perRow)*(wide+gap)
		top := chartsTop + float64(i/perRow)*chartRow
		drawChart(s, cfg, r, left, top, wide, i%perRow == 0)
	}
}

// drawChart puts the rounds one after the other, with a line between them.
func drawChart(s *svg, cfg *config, r *phaseResult, left, top, wide float64, labels bool) {
	sch := cfg.schedule(r.mode)
	round := sch.Duration.Seconds()
	all := round * float64(max(len(r.windows), 1))
	x := scale{low: 0, high: all, from: left, to: left + wide}
	y := scale{low: leastShare, high: 100, from: top + chartHigh, to: top, log: true}
	for _, v := range decades(leastShare, 100) {
		s.line(left, y.at(v), left+wide, y.at(v), grid)
		if labels {
			s.text(left-8, y.at(v)+4, tickY, fmt.Sprintf("%g %%", v))
		}
	}
	step := niceStep(all, 4)
	for i := 0; float64(i)*step <= all*1.0001; i++ {
		at := x.at(float64(i) * step)
		s.line(at, top+chartHigh, at, top+chartHigh+4, frame)
		s.text(at, top+chartHigh+18, tickX, fmt.Sprintf("%.4g", float64(i)*step))
	}
	s.line(left, top+chartHigh, left+wide, top+chartHigh, frame)
	s.line(left, top, left, top+chartHigh, frame)
	s.text(left, top-10, strong, r.mode.label)
	s.text(left+wide/2, top+chartHigh+36, axis, "measured time, s")
	if labels {
		s.upright(left-62, top+chartHigh/2, axis, "share of CPUs (log)")
	}
	for i, w := range r.windows {
		begun := float64(i) * round
		if i > 0 {
			s.line(x.at(begun), top, x.at(begun), top+chartHigh, stroke{frame.color, 1, true})
		}
		urgent, bulk := shares(w, cfg.procs, begun-sch.Warmup.Seconds(), x, y)
		s.path(bulk, stroke{color: bulkColor, width: 1.8}, "bulk")
		s.path(urgent, stroke{color: urgentColor, width: 1.8}, "urgent")
	}
}

// shares turns samples into two lines, moved along the time axis by shift seconds. Each point stands for the
// time since the sample before it.
func shares(w window, procs int, shift float64, x, y scale) (urgent, bulk []point) {
	for i := 1; i < len(w.samples); i++ {
		pair := window{w.samples[i-1 : i+1]}
		u, b := pair.cpu(procs)
		at := x.at((pair.samples[0].at+pair.samples[1].at).Seconds()/2 + shift)
		urgent = append(urgent, point{at, y.at(u * 100)})
		bulk = append(bulk, point{at, y.at(b * 100)})
	}
	return urgent, bulk
}

func slowestFirst(results []*phaseResult) []*phaseResult {
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b *phaseResult) int {
		return cmp.Compare(b.load.Latency.quantile(0.99), a.load.Latency.quantile(0.99))
	})
	return sorted
}
