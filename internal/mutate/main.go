// Command mutate asks whether the suites of schedules notice when the library's synchronisation is broken: it takes away one lock, unlock, wake, count or
// atomic transition at a time, and runs the suites against what is left.
//
//	go run ./internal/mutate                       all of the table below, and writes docs/mutation.md
//	go run ./internal/mutate tasksync/mutex.go ... these files
//
// The tests are built with all mutants in them, by an overlay of the files, and run once for each, which is switched on by the environment. A mutant is killed if a test fails, crashes or hangs. Each test gets a second of schedules; a short try comes first, since most
// mutants do not need more. What has survived is to be explained in reasons.txt, or is a test that is missing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// targets says which tests are responsible for which files.
var targets = []target{
	{dir: "chans", run: "^TestStep", files: []string{
		"chans/chan.go", "chans/locked.go", "chans/list.go", "chans/ring.go", "chans/wait.go", "chans/oneshot.go", "chans/select.go", "chans/cases.go",
		"chans/spsc.go",
	}},
	{dir: "pool", run: "^TestStep", then: true, files: []string{"pool/inbox.go", "pool/steal.go", "pool/rescue.go", "pool/shutdown.go", "pool/timer_alarm.go"}},
	{dir: ".", run: "^TestStep", then: true, files: []string{"handle.go", "group.go", "pool/waiter.go", "pool/capacity.go", "pool/overflow.go"}},
	{dir: "tasksync", run: "^TestStep", files: []string{
		"tasksync/mutex.go", "tasksync/mutex_slow.go", "tasksync/rwmutex.go", "tasksync/semaphore.go", "tasksync/cond.go", "tasksync/once.go",
		"tasksync/waitgroup.go", "tasksync/waitgroup_go.go", "tasksync/list.go", "internal/spin/spin.go",
	}},
}

type target struct {
	dir, run string
	files    []string
	then     bool // the next target's tests too

	next *target // whose tests are run if these do not kill
	bin  string  // the tests
}

// sources are the files with all mutants.
var sources = map[string][]byte{}

var (
	results = flag.String("results", "", "file in which results are kept; mutants that it knows are not run again")
	again   = flag.Bool("again", false, "run those that have survived again")
	report  = flag.String("report", "docs/mutation.md", "where the report goes when all targets are run; empty for none")
	list    = flag.Bool("list", false, "only list the mutants")
	jobs    = flag.Int("jobs", 2, "mutants at a time")
	match   = flag.String("match", "", "only mutants whose description contains this")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := mutate(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func mutate(ctx context.Context) error {
	var mutants []*mutant
	id := 0
	for i := range targets {
		t := &targets[i]
		if t.then {
			t.next = &targets[i+1]
		}
		for _, f := range t.files {
			found, source, err := find(f, &id)
			if err != nil {
				return err
			}
			sources[f] = source
			if flag.NArg() > 0 && !slices.Contains(flag.Args(), f) {
				continue
			}
			for _, m := range found {
				if m.target = t; strings.Contains(m.String(), *match) {
					mutants = append(mutants, m)
				}
			}
		}
	}
	if *list {
		for _, m := range mutants {
			fmt.Println(m)
		}
		return nil
	}
	if err := runAll(ctx, mutants); err != nil {
		return err
	}
	for _, m := range mutants {
		fmt.Printf("%s\t%s\n", m, m.verdict())
	}
	if flag.NArg() == 0 && *match == "" && *report != "" {
		return writeReport(*report, mutants)
	}
	return nil
}
