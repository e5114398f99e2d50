package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// The marks in the README between which the table is. What is there belongs to this program.
const (
	readmeBegin = "<!-- bench:begin, written by bench/cmd/compare -->"
	readmeEnd   = "<!-- bench:end -->"
)

// readmeRows are the rows that the README has. The report has all.
var readmeRows = []string{
	"Outside1", "Outside8", "Batch256", "RoundTrip1", "RoundTrip64", "Tree16", "InsideDrain", "InsideOne", "SpawnWait",
	"Yield1000", "YieldLone", "PingPongInside", "PingPongOutside", "Memory", "MemoryParked",
	"LatencyYieldP99", "LatencyNeverP99", "RealHash", "RealSieve", "RealChat", "RealSort", "RealMandelbrot", "RealPipeline",
	"StartJoin", "Idle", "IdleWakes",
}

// rewriteReadme puts the table between the marks of the file.
func (r *Report) rewriteReadme(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := r.Setting.presentable(); err != nil {
		return fmt.Errorf("-readme: %w", err)
	}
	var table bytes.Buffer
	r.readmeTable(&table)
	text, err = between(text, table.String())
	if err != nil {
		return fmt.Errorf("-readme %s: %w", path, err)
	}
	return os.WriteFile(path, text, 0o644)
}

// presentable says why a run's figures are not for the README.
func (s Setting) presentable() error {
	switch {
	case s.Short:
		return errors.New("the figures of a short run mean nothing")
	case s.GaveUp:
		return errors.New("the run gave up before its end")
	case s.Disturbance >= everything:
		return errors.New("the run took disturbed rounds too")
	}
	return nil
}

// between replaces what is between the marks.
func between(text []byte, by string) ([]byte, error) {
	before, rest, ok := bytes.Cut(text, []byte(readmeBegin))
	_, after, ended := bytes.Cut(rest, []byte(readmeEnd))
	if !ok || !ended {
		return nil, fmt.Errorf("the marks %s and %s are not there, in this order", readmeBegin, readmeEnd)
	}
	return slices.Concat(before, []byte(readmeBegin+"\n\n"+by), []byte(readmeEnd), after), nil
}

// readmeTable has a column for each product: of its modes the best, row by row, which is more than any of its users
// gets. Of lockstep it has New without options, and not the best of its variants.
func (r *Report) readmeTable(w *bytes.Buffer) {
	s := r.Setting
	fmt.Fprintf(w, "%s, %d CPUs, %s %s/%s, %d rounds in one process; medians, the least of a row bold. Of each product's modes the best is shown, "+
		"of lockstep the default. %s\n\n", s.Date.Format("2006-01-02"), s.CPUs, s.Go, s.OS, s.Arch, s.Rounds, s.quiet())
	rows := make([]*Row, 0, len(readmeRows))
	for _, name := range readmeRows {
		if row := r.row(name); row != nil {
			rows = append(rows, row)
		}
	}
	products := r.products(rows)
	tableHead(w, append([]string{"", "unit"}, products...))
	for _, row := range rows {
		values := make([]float64, len(products))
		least := math.Inf(1)
		for i, p := range products {
			values[i] = row.best(p)
			if !math.IsNaN(values[i]) {
				least = min(least, values[i])
			}
		}
		cells := []string{row.Title, row.Unit}
		for _, v := range values {
			text := number(v)
			if v == least {
				text = "**" + text + "**"
			}
			cells = append(cells, text)
		}
		tableRow(w, cells)
	}
	fmt.Fprintln(w)
}

// products are the rivals without their modes, lockstep last.
func (r *Report) products(rows []*Row) []string {
	var names []string
	for _, e := range r.entries(rows) {
		name := product(e)
		if name != "" && name != rival.LockstepName && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return append(names, rival.LockstepName)
}

// product is the name up to the mode, empty for variants of lockstep.
func product(e rival.Entry) string {
	if e.Kind == rival.Variant {
		return ""
	}
	if at := strings.IndexAny(e.Name, "- "); at > 0 {
		return e.Name[:at]
	}
	return e.Name
}

// best is the least median of a product's modes, NaN if none took part.
func (r *Row) best(of string) float64 {
	best := math.NaN()
	for _, c := range r.Cells {
		if product(c.entry) != of {
			continue
		}
		if m := median(c.Values); math.IsNaN(best) || m < best {
			best = m
		}
	}
	return best
}
