package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lockstep-go/lockstep/bench/external"
	"github.com/lockstep-go/lockstep/bench/rival"
)

// measureRust has the Rust rivals run the same rows, after ours, on the same machine. Without cargo the report does
// without them.
func (d *driver) measureRust() (external.Report, error) {
	o := external.Options{Workers: d.workers, Only: d.match.String(), Progress: d.progress, Short: d.quick}
	if !d.quick {
		o.Rounds = d.rounds
	}
	report, err := external.Rust(context.Background(), o)
	if errors.Is(err, external.ErrNoCargo) {
		fmt.Fprintf(d.progress, "compare: %v\n", err)
		return external.Report{Remarks: []external.Remark{{Rival: "Rust", Note: err.Error()}}}, nil
	}
	return report, err
}

// rustTable puts lockstep's median beside those of the Rust rivals. They ran one after the other and not round by
// round, so no ratio is taken.
func (r *Report) rustTable(w io.Writer) {
	if r.Rust == nil {
		return
	}
	fmt.Fprintf(w, "### Beside Rust\n\n")
	var rows, rivals []string
	cells := make(map[[2]string]external.Result)
	for _, result := range r.Rust.Results {
		if !slices.Contains(rows, result.Workload) {
			rows = append(rows, result.Workload)
		}
		if !slices.Contains(rivals, result.Rival) {
			rivals = append(rivals, result.Rival)
		}
		cells[[2]string{result.Workload, result.Rival}] = result
	}
	if len(rows) > 0 {
		tableHead(w, slices.Concat([]string{"row", "what", "unit", rival.LockstepName}, rivals))
	}
	for _, name := range rows {
		var first external.Result
		var values []string
		for _, who := range rivals {
			result := cells[[2]string{name, who}]
			if first.Workload == "" {
				first = result
			}
			values = append(values, medianOrNone(result.Rounds))
		}
		tableRow(w, slices.Concat([]string{name, first.Title, first.Unit, r.ownMedian(name)}, values))
	}
	fmt.Fprintln(w)
	for _, remark := range r.Rust.Remarks {
		fmt.Fprintf(w, "* %s: %s\n", remark.Rival, remark.Note)
	}
	fmt.Fprintln(w)
}

// ownMedian is lockstep's value in the named row of the same run.
func (r *Report) ownMedian(name string) string {
	for _, row := range r.Rows {
		if own := row.cell(rival.LockstepName); row.Name == name && own != nil {
			return medianOrNone(own.Values)
		}
	}
	return "—"
}

func medianOrNone(values []float64) string {
	if len(values) == 0 {
		return "—"
	}
	return number(median(values))
}
