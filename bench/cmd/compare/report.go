package main

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
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
	Rust    *external.Report `json:",omitempty"`
	absent  []absence
}

// Setting is what has to be known to read the numbers.
type Setting struct {
	Date             time.Time
	Go, OS, Arch     string
	CPUs, GOMAXPROCS int
	Workers, Rounds  int
	Quick            bool
	Versions         map[string]string
}

// Row is one workload with the rivals that took part.
type Row struct {
	Name, Title, Unit string
	Cells             []*Cell
	workload          *workload.Workload
}

// Cell is one rival in one row: a value for every round, in the order of the rounds.
type Cell struct {
	Rival  string
	Values []float64
	Allocs []float64
	Bytes  []float64
	entry  rival.Entry
}

// absence is a cell that stays empty, and why.
type absence struct{ row, rival, why string }

func newSetting(o options) Setting {
	s := Setting{
		Date: time.Now().UTC().Truncate(time.Second),
		Go:   runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Workers: o.workers, Rounds: o.rounds, Quick: o.quick,
		Versions: make(map[string]string),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			s.Versions[dep.Path] = dep.Version
		}
	}
	return s
}

func (c *Cell) add(s workload.Sample) {
	c.Values = append(c.Values, s.Value)
	c.Allocs = append(c.Allocs, s.Allocs)
	c.Bytes = append(c.Bytes, s.Bytes)
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
		for _, k := range kinds {
			if c.entry.Kind == k && (best == nil || median(c.Values) < median(best.Values)) {
				best = c
			}
		}
	}
	return best
}

// row returns the workload's row, or nil when it was not run.
func (r *Report) row(w *workload.Workload) *Row {
	for _, row := range r.Rows {
		if row.Name == w.Name {
			return row
		}
	}
	return nil
}

func (r *Report) writeJSON(path string) error {
	data, err := json.MarshalIndent(struct {
		*Report
		Reach []verdict
	}{r, r.reach()}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
