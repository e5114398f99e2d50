package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-go/lockstep/bench/external"
	"github.com/lockstep-go/lockstep/bench/rival"
)

// rustRunner builds the Rust rivals at its first call and measures a round of them at each.
func rustRunner() func(external.Options) (external.Report, error) {
	var program *external.Program
	return func(o external.Options) (external.Report, error) {
		ctx := context.Background()
		if program == nil {
			var err error
			if program, err = external.Build(ctx, o); err != nil {
				return external.Report{}, err
			}
		}
		return program.Measure(ctx, o)
	}
}

// measureRust runs a round of the Rust rivals after each of ours, so that both see the same machine. Without cargo the
// report says that they are missing.
func (d *driver) measureRust(report *Report, round int) error {
	o := external.Options{Rounds: 1, Workers: d.workers, Only: d.only, Cold: round > 1, Short: d.short, Progress: d.progress}
	var got external.Report
	rejected, err := d.undisturbed("the Rust rivals", func() (err error) {
		fmt.Fprintf(d.progress, "%s  the Rust rivals\n", d.label(round))
		got, err = d.external(o)
		return err
	})
	if errors.Is(err, external.ErrNoCargo) {
		fmt.Fprintf(d.progress, "compare: %v\n", err)
		report.Setting.External = []external.Remark{{Rival: "Rust", Note: err.Error()}}
		d.rust = false
		return nil
	}
	report.Setting.RejectedRust += rejected
	if err != nil {
		return err
	}
	report.take(got)
	return nil
}

// own are the cells that this process measures itself. Those of other programs come after them, with their first round.
func (r *Row) own() []*Cell {
	at := slices.IndexFunc(r.Cells, func(c *Cell) bool { return c.entry.Kind == rival.External })
	if at < 0 {
		return r.Cells
	}
	return r.Cells[:at]
}

// take adds a round of another program's results: to our rows where they have the same name, else to new ones.
func (r *Report) take(got external.Report) {
	r.Setting.External = got.Remarks
	for _, result := range got.Results {
		if len(result.Rounds) == 0 {
			continue
		}
		at := slices.IndexFunc(r.Rows, func(row *Row) bool { return row.Name == result.Workload && row.Unit == result.Unit })
		if at < 0 {
			at = len(r.Rows)
			r.Rows = append(r.Rows, &Row{Name: result.Workload, Title: result.Title, Unit: result.Unit})
		}
		row := r.Rows[at]
		cell := row.cell(result.Rival)
		if cell == nil {
			cell = &Cell{Rival: result.Rival, entry: rival.Entry{Name: result.Rival, Kind: rival.External}}
			row.Cells = append(row.Cells, cell)
		}
		cell.Values = append(cell.Values, result.Rounds...)
		cell.Note = result.Note
	}
}
