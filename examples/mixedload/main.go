// Command mixedload shows what a worker pool with task queues is for: a small, urgent request in a process
// whose cores are full of other work.
//
// It serves an urgent route (about 20 µs of hashing) on the loopback interface while bulk work, gzip and
// SHA-256 over every file of a directory, fills all cores. An open-loop load generator asks for the route at
// a fixed rate, and the same thing is done in several modes one after the other: plain goroutines, goroutines
// that call runtime.Gosched, an ants pool, lockstep with one task queue and lockstep with two.
//
//	go run ./examples/mixedload                          # the Go source tree, about 40 seconds
//	go run ./examples/mixedload -modes=plain,two+spare ~/src
//	go run ./examples/mixedload -modes=all -duration=10s -rate=2000
//
// # What is measured
//
// A request's latency is counted from the moment it was due by the fixed schedule, not from the moment it was
// sent. A generator that waits for an answer before it sends the next request slows down together with the
// server and so hides the very delays it is there to find (coordinated omission).
//
// # Where the generator runs
//
// By default the generator is a child process, the same binary started again (-client=process). Inside the
// measured process (-client=inside) its goroutines wait for the same busy Ps as the server's, so every
// latency holds the delay twice, once for the server and once for the client, and it cannot be told which is
// which. A child competes for the cores as a client on the same machine does, its scheduling is the operating
// system's, and its memory is not the server's. What it is late by itself is measured all the same: the
// column "client p99" is how long after its due time a request left although a connection was free.
//
// # Exit status
//
// 0 when every mode ran, whatever the figures say; 1 when something failed; 2 when the command line is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	if os.Getenv(clientEnv) != "" {
		signal.Ignore(os.Interrupt) // a terminal sends it to both; the parent ends its child
		os.Exit(clientMain(os.Stdin, os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main without the process around it, so that a test can call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cfg, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = measure(ctx, cfg, stdout)
	}
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "mixedload: interrupted")
		return 1
	}
	fmt.Fprintln(stderr, "mixedload:", err)
	if _, ok := errors.AsType[*usageError](err); ok {
		return 2
	}
	return 1
}

// measure prepares the input, runs the modes in turn and reports. What failed early is found before the long
// part starts: the port, the directory, the plot's folder, and a rate that this machine cannot serve.
func measure(ctx context.Context, cfg *config, stdout io.Writer) error {
	if err := checkAddr(cfg.addr); err != nil {
		return err
	}
	if err := checkPlot(cfg.plot); err != nil {
		return err
	}
	show := newProgress(stdout)
	in, err := loadInput(ctx, cfg, show)
	if err != nil {
		return err
	}
	work := calibrate(urgentTarget)
	fmt.Fprintf(stdout, "input    %s\n", in)
	fmt.Fprintf(stdout, "urgent   %s\n", work)
	fmt.Fprintf(stdout, "load     %d requests/s for %v a mode in %d rounds, each after %v of warm-up, %d connections, client=%s\n",
		cfg.rate, cfg.duration, cfg.rounds, cfg.warmup, cfg.conns, cfg.client)
	fmt.Fprintf(stdout, "bulk     %d tasks at a time, GOMAXPROCS %d\n\n", cfg.bulk, cfg.procs)

	idle, err := runPhase(ctx, cfg, idleMode, in, work, show.phase("idle", 0, len(cfg.modes)*cfg.rounds))
	if err != nil {
		return err
	}
	if err := checkRate(cfg, idle.load); err != nil {
		return err
	}
	results, err := runRounds(ctx, cfg, in, work, show)
	if err != nil {
		return err
	}
	results = append([]*phaseResult{idle}, results...)
	fmt.Fprintln(stdout)
	writeTable(stdout, cfg, results)
	writeWarnings(stdout, cfg, results)
	writeVerdict(stdout, results)
	if cfg.plot == "" {
		return nil
	}
	if err := os.WriteFile(cfg.plot, drawPlot(cfg, results), 0o644); err != nil {
		return fmt.Errorf("the plot was not written: %w; choose another file with -plot", err)
	}
	fmt.Fprintf(stdout, "plot     %s\n", cfg.plot)
	return nil
}

// runRounds runs every mode once a round, and every other round backwards. A machine that gets slower or faster
// during the run (its clock, its neighbours) then does so for all modes alike, as far as it is steady; modes
// measured once, one after the other, would be compared at different times.
func runRounds(ctx context.Context, cfg *config, in *input, work *urgentWork, show *progress) ([]*phaseResult, error) {
	results := make([]*phaseResult, len(cfg.modes))
	for i := range cfg.rounds * len(cfg.modes) {
		round, at := i/len(cfg.modes), i%len(cfg.modes)
		if round%2 == 1 {
			at = len(cfg.modes) - 1 - at
		}
		m := cfg.modes[at]
		r, err := runPhase(ctx, cfg, m, in, work, show.phase(m.name, i+1, len(results)*cfg.rounds))
		if err != nil {
			return nil, fmt.Errorf("mode %s: %w", m.name, err)
		}
		if round == 0 {
			results[at] = r
		} else {
			results[at].merge(r)
		}
	}
	return results, nil
}
