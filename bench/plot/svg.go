package plot

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// canvas writes the shapes that the pictures need. Its background is white, as the page below may be dark.
type canvas struct{ b strings.Builder }

func newCanvas(width, height float64) *canvas {
	c := new(canvas)
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="system-ui, 'DejaVu Sans', sans-serif">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&c.b, `<rect width="%g" height="%g" fill="#fff"/>`+"\n", width, height)
	return c
}

func (c *canvas) bytes() []byte { return []byte(c.b.String() + "</svg>\n") }

// text writes s at a place; anchor is start, middle or end.
func (c *canvas) text(x, y float64, size int, anchor, color, s string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s">%s</text>`+"\n",
		x, y, size, anchor, color, html.EscapeString(s))
}

func (c *canvas) line(x1, y1, x2, y2 float64, color string, width float64) {
	fmt.Fprintf(&c.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"/>`+"\n", x1, y1, x2, y2, color, width)
}

// dot is a circle that tells its meaning to who points at it.
func (c *canvas) dot(x, y, radius float64, color, title string) {
	fmt.Fprintf(&c.b, `<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"><title>%s</title></circle>`+"\n",
		x, y, radius, color, html.EscapeString(title))
}

// scale maps numbers to places, by their logarithms.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	return s.from + (s.to-s.from)*(math.Log(v)-math.Log(s.low))/(math.Log(s.high)-math.Log(s.low))
}

// span is the smallest range of 1, 2 or 5 times powers of ten that holds all values, and never of no length.
func span(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	ticks := ticksWithin(low/10, high*10)
	for len(ticks) > 2 && ticks[1] <= low {
		ticks = ticks[1:]
	}
	for len(ticks) > 2 && ticks[len(ticks)-2] >= high {
		ticks = ticks[:len(ticks)-1]
	}
	return ticks[0], ticks[len(ticks)-1]
}

// ticksWithin are the numbers 1, 2 and 5 times powers of ten from low to high.
func ticksWithin(low, high float64) []float64 {
	var ticks []float64
	const slack = 1e-9
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= low*(1-slack) && v <= high*(1+slack) {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// drawable reports whether a value has a place on a logarithmic scale.
func drawable(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

func label(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// colors are told apart by who does not see all of them, as far as that goes with so many; the legend has the names.
var colors = []string{
	"#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22",
	"#393b79", "#637939", "#8c6d31", "#843c39", "#7b4173", "#3182bd", "#31a354", "#756bb1",
}

func color(i int) string { return colors[i%len(colors)] }
