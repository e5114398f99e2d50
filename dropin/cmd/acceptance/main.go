// Acceptance runs the tests of other people's packages with every go statement, theirs and their tests',
// replaced by the pool.
//
// Usage:
//
//	acceptance [-quick] [-packages regexp] [-modes list] [-workers list] [-rounds n] [-race-rounds n]
//		[-timeout d] [-logs dir]
//
// It has to be run in the folder of the module that holds it. Nothing of the
// packages is copied: the go command gets the rewritten files as an overlay. Each suite runs with
// plain goroutines first, and a run on a pool fails if its tests fail or hang, if
// other tests were run, or if it started a tenth more or fewer tasks.
//
// Exit status is 1 if anything failed; each failure names its log, and how to run that one again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-go/lockstep/dropin/internal/accept"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := run(ctx, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "acceptance:", err)
		os.Exit(2)
	case failed > 0:
		fmt.Fprintf(os.Stderr, "acceptance: %d runs failed\n", failed)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (failed int, err error) {
	flags := flag.NewFlagSet("acceptance", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "the short form: the suites that take seconds, 1 and 2 workers, one round")
	packages := flags.String("packages", "", "run only suites whose name matches the `regexp`")
	modes := flags.String("modes", "locked,floating", "comma-separated `list` of locked and floating")
	workers := flags.String("workers", "1,2,max,8", "comma-separated `list` of numbers of workers; max is GOMAXPROCS")
	rounds := flags.Int("rounds", 3, "how often each pool is tried")
	races := flags.Int("race-rounds", 1, "how often each pool is tried under the race detector")
	timeout := flags.Duration("timeout", 3*time.Minute, "after this `time` the tests of one package hang")
	logs := flags.String("logs", "", "the `folder` of overlays, binaries and logs; default a temporary one, which goes if all is well")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if *quick {
		for name, value := range map[string]string{"workers": "1,2", "rounds": "1", "race-rounds": "0"} {
			if !given[name] {
				_ = flags.Set(name, value)
			}
		}
	}
	suites, err := choose(*packages, *quick && !given["packages"])
	if err != nil {
		return 0, err
	}
	m := accept.Matrix{Rounds: *rounds, RaceRounds: *races, Timeout: *timeout}
	if m.Modes, m.Workers, err = pools(*modes, *workers); err != nil {
		return 0, err
	}
	dir := *logs
	if dir == "" {
		if dir, err = os.MkdirTemp("", "lockstep-acceptance-"); err != nil {
			return 0, err
		}
	}
	shop, err := accept.NewWorkshop(dir)
	if err != nil {
		return 0, err
	}
	outcomes, err := accept.All(ctx, shop, suites, m, os.Stdout)
	fmt.Print("\n" + accept.Table(outcomes))
	bad := accept.Failed(outcomes)
	for _, o := range bad {
		fmt.Printf("\n%s: %s\n  log: %s\n  again: go run ./cmd/acceptance %s\n", o.Cell, o.Problem, o.Log, o.Cell.Again())
	}
	if *logs == "" && err == nil && len(bad) == 0 {
		_ = os.RemoveAll(dir)
	}
	return len(bad), err
}

func choose(pattern string, quick bool) ([]accept.Suite, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var chosen []accept.Suite
	var names []string
	for _, s := range accept.Suites {
		names = append(names, s.Name)
		if re.MatchString(s.Name) && (s.Quick || !quick) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no suite matches %q; there are %s", pattern, strings.Join(names, ", "))
	}
	return chosen, nil
}

func pools(modes, workers string) ([]string, []int, error) {
	m := strings.Split(modes, ",")
	for _, mode := range m {
		if !slices.Contains([]string{accept.Locked, accept.Floating}, mode) {
			return nil, nil, fmt.Errorf("mode %q is neither locked nor floating", mode)
		}
	}
	var w []int
	for _, text := range strings.Split(workers, ",") {
		if text == "max" {
			w = append(w, accept.MaxWorkers)
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, nil, fmt.Errorf("workers %q is neither a number nor max", text)
		}
		w = append(w, n)
	}
	return m, w, nil
}
