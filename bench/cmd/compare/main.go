// Command compare measures every rival in one process, round by round, and writes the table that the README quotes.
//
//	go run ./cmd/compare            # everything, about a quarter of an hour
//	go run ./cmd/compare -quick     # only proves that everything runs
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

func compare(o options, stdout, stderr io.Writer) error {
	d := &driver{options: o, progress: stderr}
	report, err := d.measure()
	if err != nil {
		return err
	}
	if o.rust {
		rust, err := d.measureRust()
		if err != nil {
			return err
		}
		report.Rust = &rust
	}
	var text bytes.Buffer
	report.markdown(&text)
	if o.json != "" {
		if err := report.writeJSON(o.json); err != nil {
			return err
		}
	}
	if o.out != "" {
		return os.WriteFile(o.out, text.Bytes(), 0o644)
	}
	_, err = stdout.Write(text.Bytes())
	return err
}
