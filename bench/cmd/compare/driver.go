package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"

	"github.com/lockstep-go/lockstep/bench/external"
	"github.com/lockstep-go/lockstep/bench/workload"
)

// driver runs the rounds.
type driver struct {
	options
	progress io.Writer
	// rejected counts disturbed rounds, and told says whether the system tells about them at all.
	rejected int
	told     bool
	// now, sleep and external are the world, in tests a made-up one.
	now      func() moment
	sleep    func(time.Duration)
	external func(external.Options) (external.Report, error)
}

func newDriver(o options, progress io.Writer) *driver {
	return &driver{options: o, progress: progress, now: now, sleep: time.Sleep, external: rustRunner()}
}

// measure runs one round that is thrown away, then the measured ones, then the shares. Rounds are the outer loop, so
// that whatever the machine does meanwhile happens to every rival alike. When the machine is too busy it returns what
// there is, and errGaveUp.
func (d *driver) measure() (*Report, error) {
	report := newReport(d.options)
	err := d.run(report)
	report.Setting.Rejected, report.Setting.Judged = d.rejected, d.told
	if errors.Is(err, errGaveUp) {
		report.Setting.GaveUp = true
		report.dropEmpty()
		return report, err
	}
	return report, err
}

func (d *driver) run(report *Report) error {
	first := 0
	if d.short {
		first = 1
	}
	clock := roundClock{d: d}
	for round := first; round <= d.rounds; round++ {
		if !clock.enough(round) {
			report.Setting.Rounds = round - 1
			break
		}
		for i, row := range report.measured() {
			if err := d.measureRow(row, round, round+i); err != nil {
				return err
			}
		}
		if d.rust && round > 0 {
			if err := d.measureRust(report, round); err != nil {
				return err
			}
		}
	}
	if !d.withShares() {
		return nil
	}
	for _, c := range workload.SharesCases() {
		fmt.Fprintf(d.progress, "shares %d:%d, %v\n", c.Shares[0], c.Shares[1], d.shares)
		stop := d.watch(fmt.Sprintf("shares %v", c.Shares), d.shares+d.limit)
		r, err := c.Run(d.workers, d.shares)
		stop()
		if err != nil {
			return err
		}
		report.Shares = append(report.Shares, r)
	}
	return nil
}

// measureRow measures every rival once, starting with another one each time: who comes first after a collection, or
// after a rival that leaves many goroutines behind, must not be the same one in every round. A disturbed round is
// measured again as a whole, because ratios are taken within it.
func (d *driver) measureRow(row *Row, round, rotation int) error {
	own := row.own()
	samples := make([]workload.Sample, len(own))
	once := func() error {
		for i := range own {
			at := (i + rotation) % len(own)
			cell := own[at]
			n := row.workload.Quick
			if !d.short {
				n = row.workload.SizeFor(cell.entry)
			}
			stop := d.watch(row.Name+" with "+cell.Rival, d.limit)
			sample, err := row.workload.Measure(cell.entry, d.workers, n)
			stop()
			if err != nil {
				return err
			}
			samples[at] = sample
			fmt.Fprintf(d.progress, "%s  %-16s %-17s %10s %s\n", d.label(round), row.Name, cell.Rival, number(sample.Value), row.Unit)
		}
		return nil
	}
	if round == 0 {
		return once()
	}
	rejected, err := d.undisturbed(row.Name, once)
	row.Rejected += rejected
	if err != nil {
		return err
	}
	for i, sample := range samples {
		row.add(i, sample)
	}
	return nil
}

func (d *driver) label(round int) string {
	if round == 0 {
		return "warm-up"
	}
	return fmt.Sprintf("round %d/%d", round, d.rounds)
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
