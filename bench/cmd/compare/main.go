// Command compare measures every rival in one process, round by round, and writes the table that the README quotes.
//
//	go run ./cmd/compare            # everything; leave the machine alone meanwhile
//	go run ./cmd/compare -rust      # with tokio and glommio, which needs cargo
//	go run ./cmd/compare -short     # only proves that everything runs
//
// Benchmarks that run one rival after the other compare the machine's first minute with its tenth. Here every round
// holds one measurement of each rival, in an order that rotates, and ratios are taken within a round.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process, so that a test can call it. It returns 2 for a bad command line, as flag does, and
// 1 for a measurement that failed.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "compare: %v\n", err)
		return 2
	case o.list:
		list(stdout)
		return 0
	}
	if err := compare(o, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "compare: %v\n", err)
		return 1
	}
	return 0
}

// compare measures, or reads what was measured before, and writes everything that was asked for. A run that gave up
// writes what it has and then says so.
func compare(o options, stdout, stderr io.Writer) error {
	report, gaveUp := values(o, stderr)
	if gaveUp != nil && !errors.Is(gaveUp, errGaveUp) {
		return gaveUp
	}
	if err := write(o, report, stdout); err != nil {
		return err
	}
	return gaveUp
}

func values(o options, progress io.Writer) (*Report, error) {
	if o.from != "" {
		return readJSON(o.from)
	}
	return newDriver(o, progress).measure()
}

func write(o options, report *Report, stdout io.Writer) error {
	if o.json != "" {
		if err := report.writeJSON(o.json); err != nil {
			return err
		}
	}
	if o.plots != "" {
		if err := report.writePlots(o.plots); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	report.markdown(&text, o)
	var err error
	if o.out != "" {
		err = os.WriteFile(o.out, text.Bytes(), 0o644)
	} else {
		_, err = stdout.Write(text.Bytes())
	}
	if err != nil || o.readme == "" {
		return err
	}
	return report.rewriteReadme(o.readme)
}
