package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

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

// readJSON reads a report that was written before, so that its tables and plots can be made again, or a README's, from
// values of another day.
func readJSON(path string) (*Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s is no report of this program: %w", path, err)
	}
	for _, row := range r.Rows {
		row.workload, row.derived = known(row.Name)
		for _, c := range row.Cells {
			c.entry = rival.Entry{Name: c.Rival, Kind: rival.External}
			if at := slices.IndexFunc(rival.All(), func(e rival.Entry) bool { return e.Name == c.Rival }); at >= 0 {
				c.entry = rival.All()[at]
			}
		}
		if row.workload == nil || row.derived || len(row.only()) > 0 {
			continue
		}
		for _, e := range rival.All() {
			if ok, why := row.workload.TakesPart(e); !ok && e.Kind != rival.Variant {
				r.absent = append(r.absent, absence{row: row.Name, rival: e.Name, why: why})
			}
		}
	}
	return r, nil
}

// known finds the workload that a row is of.
func known(name string) (w *workload.Workload, derived bool) {
	for _, w := range workload.All() {
		if w.Name == name {
			return w, false
		}
		if slices.ContainsFunc(w.Also, func(m workload.Metric) bool { return m.Name == name }) {
			return w, true
		}
	}
	return nil, false
}
