package plot

import (
	"fmt"
	"strings"
)

// Point is a place on a curve.
type Point struct{ X, Y float64 }

// Curve is what one rival has for every X.
type Curve struct {
	Name   string
	Points []Point
	// Subject makes it black and thick: the one that the picture is about.
	Subject bool
}

// look is the colour of the i-th curve, and its width.
func (c Curve) look(i int) (string, float64) {
	if c.Subject {
		return "#000", 3.5
	}
	return color(i), 2
}

const (
	curvesWidth, curvesHeight = 820.0, 460.0
	curvesLeft, curvesRight   = 80.0, 620.0
	curvesTop, curvesLow      = 50.0, 400.0
)

// Curves draws curves over x. Values that are not positive have no place on the scale and are left out; without any
// value there is no picture, and the result is nil.
func Curves(title, x, y string, curves []Curve) []byte {
	var xs, ys []float64
	for _, c := range curves {
		for _, p := range c.Points {
			if drawable(p.X) && drawable(p.Y) {
				xs, ys = append(xs, p.X), append(ys, p.Y)
			}
		}
	}
	if len(xs) == 0 {
		return nil
	}
	c := newCanvas(curvesWidth, curvesHeight)
	c.text(curvesLeft, 28, 17, "start", "#111", title)
	lowX, highX := span(xs)
	lowY, highY := span(ys)
	sx := scale{lowX, highX, curvesLeft, curvesRight}
	sy := scale{lowY, highY, curvesLow, curvesTop}
	for _, v := range ticksWithin(lowX, highX) {
		c.line(sx.at(v), curvesTop, sx.at(v), curvesLow, "#e4e4e4", 1)
		c.text(sx.at(v), curvesLow+18, 11, "middle", "#444", label(v))
	}
	for _, v := range ticksWithin(lowY, highY) {
		c.line(curvesLeft, sy.at(v), curvesRight, sy.at(v), "#e4e4e4", 1)
		c.text(curvesLeft-8, sy.at(v)+4, 11, "end", "#444", label(v))
	}
	c.text((curvesLeft+curvesRight)/2, curvesLow+42, 12, "middle", "#333", x)
	c.text(curvesLeft, curvesTop-8, 12, "end", "#333", y)
	for i, curve := range curves {
		stroke, width := curve.look(i)
		c.curve(curve, sx, sy, stroke, width)
		top := curvesTop + 10 + 21*float64(i)
		c.line(curvesRight+20, top-4, curvesRight+44, top-4, stroke, width)
		c.text(curvesRight+52, top, 12, "start", "#111", curve.Name)
	}
	return c.bytes()
}

func (c *canvas) curve(curve Curve, sx, sy scale, stroke string, width float64) {
	var places []string
	for _, p := range curve.Points {
		if !drawable(p.X) || !drawable(p.Y) {
			continue
		}
		places = append(places, fmt.Sprintf("%.1f,%.1f", sx.at(p.X), sy.at(p.Y)))
		c.dot(sx.at(p.X), sy.at(p.Y), 3, stroke, fmt.Sprintf("%s: %s at %s", curve.Name, label(p.Y), label(p.X)))
	}
	fmt.Fprintf(&c.b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"/>`+"\n", strings.Join(places, " "), stroke, width)
}
