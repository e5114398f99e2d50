package main

import (
	"fmt"
	"html"
	"strings"
)

// svg writes the few shapes that the plot needs. It is no general library: a plot of one program is not
// worth a dependency.
type svg struct {
	b             strings.Builder
	width, height float64
}

func newSVG(width, height float64) *svg {
	s := &svg{width: width, height: height}
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">`+"\n", width, height, width, height)
	s.rect(0, 0, width, height, "#ffffff") // a background of its own: the page below may be dark
	return s
}

func (s *svg) bytes() []byte { return []byte(s.b.String() + "</svg>\n") }

func (s *svg) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(&s.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, w, h, fill)
}

// stroke is how a line looks.
type stroke struct {
	color string
	width float64
	dash  bool
}

func (k stroke) attrs() string {
	a := fmt.Sprintf(`stroke="%s" stroke-width="%g" fill="none" stroke-linejoin="round"`, k.color, k.width)
	if k.dash {
		a += ` stroke-dasharray="6 4"`
	}
	return a
}

func (s *svg) line(x1, y1, x2, y2 float64, k stroke) {
	fmt.Fprintf(&s.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, k.attrs())
}

// point is a place in the picture.
type point struct{ x, y float64 }

func (s *svg) path(points []point, k stroke, title string) {
	if len(points) == 0 {
		return
	}
	var d strings.Builder
	for i, p := range points {
		fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(i, 1)], p.x, p.y)
	}
	fmt.Fprintf(&s.b, `<path d="%s" %s><title>%s</title></path>`+"\n", d.String(), k.attrs(), html.EscapeString(title))
}

// font is how a text looks: its size, colour, and where it is anchored (start, middle, end).
type font struct {
	size   float64
	color  string
	anchor string
	bold   bool
}

func (f font) attrs() string {
	a := fmt.Sprintf(`font-size="%g" fill="%s" text-anchor="%s"`, f.size, f.color, f.anchor)
	if f.bold {
		a += ` font-weight="600"`
	}
	return a
}

func (s *svg) text(x, y float64, f font, text string) {
	fmt.Fprintf(&s.b, `<text x="%.1f" y="%.1f" %s>%s</text>`+"\n", x, y, f.attrs(), html.EscapeString(text))
}

// upright writes a text from bottom to top, for the label of a y axis.
func (s *svg) upright(x, y float64, f font, text string) {
	fmt.Fprintf(&s.b, `<text transform="translate(%.1f %.1f) rotate(-90)" %s>%s</text>`+"\n", x, y, f.attrs(), html.EscapeString(text))
}
