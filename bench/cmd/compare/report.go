package main

import (
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/lockstep-go/lockstep/bench/external"
	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

// Report is everything that was measured; its JSON form holds every single value, so that other statistics than
// ours can be taken from it.
type Report struct {
	Setting Setting
	Rows    []*Row
	Shares  []workload.SharesResult
	absent  []absence
}

// Setting is what has to be known to read the numbers.
type Setting struct {
	Date             time.Time
	Go, OS, Arch     string
	CPUs, GOMAXPROCS int
	Workers, Rounds  int
	Short            bool
	// Disturbance is how much of the machine others were allowed to take in a round, in percent; Judged says whether
	// the system told; Rejected counts the rounds of rows that were measured again, and RejectedRust those of them
	// that were of the Rust rivals.
	Disturbance            float64
	Judged                 bool
	Rejected, RejectedRust int
	// GaveUp says that the machine was too busy for all rounds.
	GaveUp   bool
	Versions map[string]string
	// External describes the rivals that are not written in Go.
	External []external.Remark
}

// Row is one workload with the rivals that took part, or a further result of one.
type Row struct {
	Name, Title, Unit string
	Series            string  `json:",omitempty"`
	X                 float64 `json:",omitempty"`
	// Rejected is how many of its rounds were disturbed and measured again.
	Rejected int
	Cells    []*Cell
	// workload is nil in a row that only other programs have, and derived says that the row is one more result of
	// the row that measures.
	workload *workload.Workload
	derived  bool
	also     []*Row
}

// Cell is one rival in one row: a value for every round, in the order of the rounds.
type Cell struct {
	Rival  string
	Values []float64
	Allocs []float64 `json:",omitempty"`
	Bytes  []float64 `json:",omitempty"`
	Note   string    `json:",omitempty"`
	entry  rival.Entry
}

// absence is a cell that stays empty, and why.
type absence struct{ row, rival, why string }

func newSetting(o options) Setting {
	s := Setting{
		Date: time.Now().UTC().Truncate(time.Second),
		Go:   runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Workers: o.workers, Rounds: o.rounds, Short: o.short, Disturbance: o.disturbance,
		Versions: make(map[string]string),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			s.Versions[dep.Path] = dep.Version
		}
	}
	return s
}

// newReport lays out the rows and, in each, a cell for every rival that takes part.
func newReport(o options) *Report {
	r := &Report{Setting: newSetting(o)}
	for _, w := range o.workloads() {
		r.lay(w)
	}
	return r
}

// lay adds the rows of a workload.
func (r *Report) lay(w *workload.Workload) {
	row := &Row{Name: w.Name, Title: w.Title, Unit: w.Unit, Series: w.Series, X: w.X, workload: w}
	for _, entry := range rival.All() {
		if ok, why := w.TakesPart(entry); ok {
			row.Cells = append(row.Cells, &Cell{Rival: entry.Name, entry: entry})
		} else if len(w.Only) == 0 && entry.Kind != rival.Variant {
			r.absent = append(r.absent, absence{row: w.Name, rival: entry.Name, why: why})
		}
	}
	r.Rows = append(r.Rows, row)
	for _, m := range w.Also {
		further := &Row{Name: m.Name, Title: m.Title, Unit: m.Unit, workload: w, derived: true}
		for _, c := range row.Cells {
			further.Cells = append(further.Cells, &Cell{Rival: c.Rival, entry: c.entry})
		}
		row.also = append(row.also, further)
		r.Rows = append(r.Rows, further)
	}
}

// measured are the rows that the driver measures; the others come with them.
func (r *Report) measured() []*Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row *Row) bool { return row.derived || row.workload == nil })
}

// dropEmpty takes out the rows that were not measured at all.
func (r *Report) dropEmpty() {
	r.Rows = slices.DeleteFunc(r.Rows, func(row *Row) bool {
		return !slices.ContainsFunc(row.Cells, func(c *Cell) bool { return len(c.Values) > 0 })
	})
}

// add notes a sample of the i-th rival.
func (r *Row) add(i int, s workload.Sample) {
	c := r.Cells[i]
	c.Values = append(c.Values, s.Value)
	c.Allocs = append(c.Allocs, s.Allocs)
	c.Bytes = append(c.Bytes, s.Bytes)
	for k, further := range r.also {
		further.Cells[i].Values = append(further.Cells[i].Values, s.Also[k])
	}
}

// only are the rivals that the row is for, empty if it is for all.
func (r *Row) only() []string {
	if r.workload == nil {
		return []string{"external"}
	}
	return r.workload.Only
}

// cell returns the named rival's cell, or nil when it did not take part.
func (r *Row) cell(name string) *Cell {
	for _, c := range r.Cells {
		if c.Rival == name {
			return c
		}
	}
	return nil
}

// fastest returns the cell with the least median among the given kinds, or nil when there is none.
func (r *Row) fastest(kinds ...rival.Kind) *Cell {
	var best *Cell
	for _, c := range r.Cells {
		if len(c.Values) > 0 && slices.Contains(kinds, c.entry.Kind) && (best == nil || median(c.Values) < median(best.Values)) {
			best = c
		}
	}
	return best
}

// row returns the row of that name, or nil when it was not run.
func (r *Report) row(name string) *Row {
	for _, row := range r.Rows {
		if row.Name == name {
			return row
		}
	}
	return nil
}
