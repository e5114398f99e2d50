package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-go/lockstep/bench/plot"
	"github.com/lockstep-go/lockstep/bench/rival"
)

// picture is an SVG file that belongs to a report.
type picture struct {
	name, title string
	svg         []byte
}

// pictures are the curves of the rows that belong together, and an overview of the ratios. What was not measured has
// no picture.
func (r *Report) pictures() []picture {
	all := []picture{{"ratios.svg", "every row, each rival as a multiple of lockstep", r.ratios()}}
	var series []string
	for _, row := range r.Rows {
		if row.Series != "" && !slices.Contains(series, row.Series) {
			series = append(series, row.Series)
		}
	}
	for _, s := range series {
		all = append(all, picture{strings.ReplaceAll(s, " ", "-") + ".svg", "cost of a task by number of " + s, r.curves(s)})
	}
	return slices.DeleteFunc(all, func(p picture) bool { return p.svg == nil })
}

func (r *Report) curves(series string) []byte {
	unit := ""
	var curves []plot.Curve
	for _, e := range r.entries(r.Rows) {
		c := plot.Curve{Name: e.Name, Subject: e.Kind == rival.Lockstep}
		for _, row := range r.Rows {
			if cell := row.cell(e.Name); row.Series == series && cell != nil {
				c.Points = append(c.Points, plot.Point{X: row.X, Y: median(cell.Values)})
				unit = row.Unit
			}
		}
		slices.SortFunc(c.Points, func(a, b plot.Point) int { return int(a.X - b.X) })
		if len(c.Points) > 1 {
			curves = append(curves, c)
		}
	}
	note := fmt.Sprintf("number of %s (%d CPUs, GOMAXPROCS %d)", series, r.Setting.CPUs, r.Setting.GOMAXPROCS)
	return plot.Curves("Cost by number of "+series, note, unit, curves)
}

// ratios leaves out the rows that only lockstep has, where there is nothing to compare.
func (r *Report) ratios() []byte {
	var lines []plot.Line
	var rivals []string
	for _, row := range r.Rows {
		own := row.cell(rival.LockstepName)
		if own == nil {
			continue
		}
		line := plot.Line{Name: row.Name}
		for _, c := range row.Cells {
			if c.entry.Kind != rival.Lockstep && c.entry.Kind != rival.Variant && len(c.Values) > 0 {
				line.Ratios = append(line.Ratios, plot.Ratio{Rival: c.Rival, Value: ratio(c, own)})
			}
		}
		if len(line.Ratios) > 0 {
			lines = append(lines, line)
		}
	}
	for _, e := range r.entries(r.Rows) {
		if e.Kind != rival.Lockstep && e.Kind != rival.Variant {
			rivals = append(rivals, e.Name)
		}
	}
	return plot.Ratios("Each rival as a multiple of lockstep", "lockstep", rivals, lines)
}

// writePlots writes the pictures to a directory.
func (r *Report) writePlots(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range r.pictures() {
		if err := os.WriteFile(filepath.Join(dir, p.name), p.svg, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// plotLinks shows the pictures in the report, which lies in the directory from if it is a file.
func (r *Report) plotLinks(w io.Writer, dir, from string) {
	if from != "" {
		if rel, err := filepath.Rel(filepath.Dir(from), dir); err == nil {
			dir = rel
		}
	}
	fmt.Fprintf(w, "### Plots\n\n")
	for _, p := range r.pictures() {
		fmt.Fprintf(w, "![%s](%s)\n\n", p.title, filepath.ToSlash(filepath.Join(dir, p.name)))
	}
}
