package main

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

// driver runs the rounds.
type driver struct {
	options
	progress io.Writer
}

// measure runs one round that is thrown away, then the measured ones, then the shares. Rounds are the outer loop, so
// that whatever the machine does meanwhile happens to every rival alike.
func (d *driver) measure() (*Report, error) {
	report := newReport(d.options)
	first := 0
	if d.quick {
		first = 1
	}
	for round := first; round <= d.rounds; round++ {
		for i, row := range report.Rows {
			if err := d.measureRow(row, round, round+i); err != nil {
				return nil, err
			}
		}
	}
	if !d.withShares() {
		return report, nil
	}
	for _, c := range workload.SharesCases() {
		fmt.Fprintf(d.progress, "shares %d:%d, %v\n", c.Shares[0], c.Shares[1], d.shares)
		stop := d.watch(fmt.Sprintf("shares %v", c.Shares), d.shares+d.limit)
		r, err := c.Run(d.workers, d.shares)
		stop()
		if err != nil {
			return nil, err
		}
		report.Shares = append(report.Shares, r)
	}
	return report, nil
}

// measureRow measures every rival once, starting with another one each time: who comes first after a collection, or
// after a rival that leaves many goroutines behind, must not be the same one in every round.
func (d *driver) measureRow(row *Row, round, rotation int) error {
	for i := range row.Cells {
		cell := row.Cells[(i+rotation)%len(row.Cells)]
		n := row.workload.Quick
		if !d.quick {
			n = row.workload.SizeFor(cell.entry)
		}
		stop := d.watch(row.Name+" with "+cell.Rival, d.limit)
		sample, err := row.workload.Measure(cell.entry, d.workers, n)
		stop()
		if err != nil {
			return err
		}
		label := fmt.Sprintf("round %d/%d", round, d.rounds)
		if round == 0 {
			label = "warm-up"
		} else {
			cell.add(sample)
		}
		fmt.Fprintf(d.progress, "%s  %-16s %-15s %10s %s\n", label, row.Name, cell.Rival, number(sample.Value), row.Unit)
	}
	return nil
}

// watch ends the process with every goroutine's stack when a measurement does not come to an end: a rival that
// deadlocks cannot be stopped from outside, and a report without its row would hide it.
func (d *driver) watch(what string, limit time.Duration) (stop func()) {
	timer := time.AfterFunc(limit, func() {
		fmt.Fprintf(d.progress, "compare: %s did not finish within %v; a deadlock, or a machine too slow for -limit\n", what, limit)
		pprof.Lookup("goroutine").WriteTo(d.progress, 1)
		os.Exit(1)
	})
	return func() { timer.Stop() }
}

// newReport lays out the rows and, in each, a cell for every rival that takes part.
func newReport(o options) *Report {
	r := &Report{Setting: newSetting(o)}
	for _, w := range o.workloads() {
		row := &Row{Name: w.Name, Title: w.Title, Unit: w.Unit, workload: w}
		for _, entry := range rival.All() {
			if ok, why := w.TakesPart(entry); ok {
				row.Cells = append(row.Cells, &Cell{Rival: entry.Name, entry: entry})
			} else if len(w.Only) == 0 && entry.Kind != rival.Variant {
				r.absent = append(r.absent, absence{row: w.Name, rival: entry.Name, why: why})
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}
