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
	within  time.Duration
	short   bool
	list    bool
	rust    bool
	only    string
	match   *regexp.Regexp
	workers int
	shares  time.Duration
	limit   time.Duration
	// disturbance is how many percent of the machine others may take in a round, and patience how many rounds may be
	// rejected because of that.
	disturbance float64
	patience    int
	out         string
	json        string
	plots       string
	from        string
	readme      string
}

// sharesRow is the name under which -only finds the shares, which are no workload because no rival has them.
const sharesRow = "Shares"

const (
	shortRounds = 1
	shortShares = 100 * time.Millisecond
)

// parse reads the command line and refuses what would be found out only after minutes of measuring.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 10, "measured rounds; medians of fewer than ten are not worth quoting")
	flags.DurationVar(&o.within, "within", 0, "begin no round that would not end within this time; 0 for all rounds, however long they take")
	flags.StringVar(&o.only, "only", "", "measure only rows whose name matches this regular expression (-list names them)")
	flags.BoolVar(&o.short, "short", false, "small sizes, one round: proves that everything runs, measures nothing")
	flags.BoolVar(&o.rust, "rust", false, "also measure tokio and glommio (bench/rust), round by round, if cargo is installed")
	flags.BoolVar(&o.list, "list", false, "list the rows and stop")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "workers of rivals that have a fixed number")
	flags.DurationVar(&o.shares, "shares", 5*time.Second, "real time for each ratio of shares")
	flags.DurationVar(&o.limit, "limit", 5*time.Minute, "give up when one measurement takes longer than this")
	flags.Float64Var(&o.disturbance, "disturbance", 5, "reject a round in which others took more of the machine, in percent; 100 takes every round")
	flags.IntVar(&o.patience, "patience", 100, "give up after so many rejected rounds")
	flags.StringVar(&o.out, "out", "", "write the Markdown report to this file instead of standard output")
	flags.StringVar(&o.json, "json", "", "also write every measured value to this file")
	flags.StringVar(&o.plots, "plots", "", "also write plots (SVG) to this directory")
	flags.StringVar(&o.from, "from", "", "measure nothing, take the values from a file that -json has written")
	flags.StringVar(&o.readme, "readme", "", "rewrite the table between the marks in this file")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; every option starts with a dash", flags.Arg(0))
	}
	set := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if o.short {
		if !set["rounds"] {
			o.rounds = shortRounds
		}
		if !set["shares"] {
			o.shares = shortShares
		}
		if !set["disturbance"] {
			o.disturbance = everything
		}
	}
	var err error
	if o.match, err = regexp.Compile(o.only); err != nil {
		return o, fmt.Errorf("-only %q is not a regular expression: %w", o.only, err)
	}
	return o, o.check()
}

// everything is a disturbance that no machine exceeds.
const everything = 100

func (o options) check() error {
	switch {
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: at least one round is needed", o.rounds)
	case o.within < 0:
		return fmt.Errorf("-within %v: a positive duration is needed, or 0 for all rounds", o.within)
	case o.workers < 1:
		return fmt.Errorf("-workers %d: at least one worker is needed", o.workers)
	case o.shares < 50*time.Millisecond:
		return fmt.Errorf("-shares %v: below 50ms a ratio of shares says nothing", o.shares)
	case o.limit <= 0:
		return fmt.Errorf("-limit %v: a positive duration is needed", o.limit)
	case o.disturbance < 0 || o.disturbance > everything:
		return fmt.Errorf("-disturbance %v: a part of the machine is between 0 and 100 percent", o.disturbance)
	case o.patience < 1:
		return fmt.Errorf("-patience %d: at least one rejected round is needed to give up", o.patience)
	case o.from != "" && o.from == o.json:
		return fmt.Errorf("-from and -json both name %s", o.from)
	case o.out != "" && o.out == o.json:
		return fmt.Errorf("-out and -json both name %s", o.out)
	case len(o.workloads()) == 0 && !o.withShares():
		return fmt.Errorf("-only %q matches no row; -list names them", o.only)
	}
	for name, path := range map[string]string{"out": o.out, "json": o.json} {
		if err := writable(path); err != nil {
			return fmt.Errorf("-%s: %w", name, err)
		}
	}
	return readable(o)
}

// readable refuses files that are needed in the end before anything is measured.
func readable(o options) error {
	if o.from != "" {
		if _, err := readJSON(o.from); err != nil {
			return fmt.Errorf("-from: %w", err)
		}
	}
	if o.readme == "" {
		return nil
	}
	text, err := os.ReadFile(o.readme)
	if err != nil {
		return fmt.Errorf("-readme: %w", err)
	}
	if _, err := between(text, ""); err != nil {
		return fmt.Errorf("-readme %s: %w", o.readme, err)
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
		for _, m := range row.Also {
			fmt.Fprintf(t, "%s\t%s\t%s (measured with %s)\n", m.Name, m.Unit, m.Title, row.Name)
		}
	}
	fmt.Fprintf(t, "%s\t%%\tCPU time of two queues in proportion to their shares\n", sharesRow)
	t.Flush()
}
