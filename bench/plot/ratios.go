package plot

import (
	"fmt"
	"math"
)

// Ratio is how much one rival takes in a row, as a part of what the subject takes.
type Ratio struct {
	Rival string
	Value float64
}

// Line is a row of the picture.
type Line struct {
	Name   string
	Ratios []Ratio
}

// crowded is the range from which on only powers of ten are labelled.
const crowded = 1e4

const (
	ratiosWidth             = 980.0
	ratiosLeft, ratiosRight = 190.0, 800.0
	ratiosTop, ratiosRow    = 78.0, 20.0
)

// Ratios draws a dot for each rival in each row. To the right of the line at 1 the subject is ahead, to the left it is
// behind. The rivals' names are those of the legend, in that order. Without any row the result is nil.
func Ratios(title, subject string, rivals []string, rows []Line) []byte {
	values := []float64{1}
	for _, row := range rows {
		for _, r := range row.Ratios {
			if drawable(r.Value) {
				values = append(values, r.Value)
			}
		}
	}
	if len(values) == 1 {
		return nil
	}
	low, high := span(values)
	s := scale{low, high, ratiosLeft, ratiosRight}
	bottom := ratiosTop + ratiosRow*float64(len(rows))
	c := newCanvas(ratiosWidth, max(bottom, ratiosTop+21*float64(len(rivals)))+50)
	c.text(20, 28, 17, "start", "#111", title)
	c.text(20, 50, 12, "start", "#444", fmt.Sprintf("right of 1: the rival takes more than %s; left: less", subject))
	for _, v := range ticksWithin(low, high) {
		c.line(s.at(v), ratiosTop-6, s.at(v), bottom, "#ececec", 1)
		if power := math.Log10(v); high/low < crowded || power == math.Round(power) {
			c.text(s.at(v), bottom+18, 10, "middle", "#444", label(v))
		}
	}
	c.line(s.at(1), ratiosTop-6, s.at(1), bottom, "#111", 1.5)
	colorOf := make(map[string]string)
	for i, name := range rivals {
		colorOf[name] = color(i)
		top := ratiosTop + 10 + 21*float64(i)
		c.dot(ratiosRight+30, top-4, 5, color(i), name)
		c.text(ratiosRight+42, top, 12, "start", "#111", name)
	}
	for i, row := range rows {
		y := ratiosTop + ratiosRow*(float64(i)+0.5)
		c.text(ratiosLeft-10, y+4, 11, "end", "#222", row.Name)
		c.line(ratiosLeft, y, ratiosRight, y, "#f2f2f2", 1)
		for _, r := range row.Ratios {
			if drawable(r.Value) {
				c.dot(s.at(r.Value), y, 4.5, colorOf[r.Rival], fmt.Sprintf("%s, %s: %.2f times", row.Name, r.Rival, r.Value))
			}
		}
	}
	return c.bytes()
}
