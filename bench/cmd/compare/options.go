package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/lockstep-go/lockstep/bench/workload"
)

// options is the command line, checked.
type options struct {
	rounds  int
	quick   bool
	list    bool
	rust    bool
	match   *regexp.Regexp
	workers int
	shares  time.Duration
	limit   time.Duration
	out     string
	json    string
}

// sharesRow is the name under which -run finds the shares, which are no workload because no rival has them.
const sharesRow = "Shares"

const (
	quickRounds = 2
	quickShares = 200 * time.Millisecond
)

// parse reads the command line and refuses what would be found out only after minutes of measuring.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var pattern string
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 10, "measured rounds; medians of fewer than ten are not worth quoting")
	flags.StringVar(&pattern, "run", "", "measure only rows whose name matches this regular expression (-list names them)")
	flags.BoolVar(&o.quick, "quick", false, "small sizes, two rounds: proves that everything runs, measures nothing")
	flags.BoolVar(&o.rust, "rust", false, "then measure tokio and glommio too, if cargo is installed (bench/rust)")
	flags.BoolVar(&o.list, "list", false, "list the rows and stop")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "workers of rivals that have a fixed number")
	flags.DurationVar(&o.shares, "shares", 5*time.Second, "real time for each ratio of shares")
	flags.DurationVar(&o.limit, "limit", 5*time.Minute, "give up when one measurement takes longer than this")
	flags.StringVar(&o.out, "out", "", "write the Markdown report to this file instead of standard output")
	flags.StringVar(&o.json, "json", "", "also write every measured value to this file")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; every option starts with a dash", flags.Arg(0))
	}
	set := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if o.quick {
		if !set["rounds"] {
			o.rounds = quickRounds
		}
		if !set["shares"] {
			o.shares = quickShares
		}
	}
	var err error
	if o.match, err = regexp.Compile(pattern); err != nil {
		return o, fmt.Errorf("-run %q is not a regular expression: %w", pattern, err)
	}
	return o, o.check(pattern)
}

func (o options) check(pattern string) error {
	switch {
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: at least one round is needed", o.rounds)
	case o.workers < 1:
		return fmt.Errorf("-workers %d: at least one worker is needed", o.workers)
	case o.shares < 50*time.Millisecond:
		return fmt.Errorf("-shares %v: below 50ms a ratio of shares says nothing", o.shares)
	case o.limit <= 0:
		return fmt.Errorf("-limit %v: a positive duration is needed", o.limit)
	case o.out != "" && o.out == o.json:
		return fmt.Errorf("-out and -json both name %s", o.out)
	case len(o.workloads()) == 0 && !o.withShares():
		return fmt.Errorf("-run %q matches no row; -list names them", pattern)
	}
	for name, path := range map[string]string{"out": o.out, "json": o.json} {
		if err := writable(path); err != nil {
			return fmt.Errorf("-%s: %w", name, err)
		}
	}
	return nil
}

// writable opens the file without touching its content: an earlier report is replaced only by a finished one.
func writable(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// workloads are the rows the expression matches.
func (o options) workloads() []*workload.Workload {
	var ws []*workload.Workload
	for _, w := range workload.All() {
		if o.match.MatchString(w.Name) {
			ws = append(ws, w)
		}
	}
	return ws
}

func (o options) withShares() bool { return o.match.MatchString(sharesRow) }

func list(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range workload.All() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", row.Name, row.Unit, row.Title)
	}
	fmt.Fprintf(t, "%s\t%%\tCPU time of two queues in proportion to their shares\n", sharesRow)
	t.Flush()
}
