package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// state is what has become of a mutant.
type state uint8

const (
	unknown state = iota
	killed
	survived
)

const survivedText = "survived"

// verdict says what has become of the mutant, in words.
func (m *mutant) verdict() string {
	switch m.state {
	case killed:
		return "killed by " + m.by
	case survived:
		return survivedText
	}
	return "not run"
}

// The time limits: of a build, and of the tests with little and with full time for schedules each.
const (
	buildLimit = 3 * time.Minute
	testLimit  = 2 * time.Minute
	little     = "60ms"
	full       = "1s"
)

// runAll runs the mutants, several at a time.
func runAll(ctx context.Context, mutants []*mutant) error {
	known, err := readResults()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, m := range mutants {
		switch by := known[m.key()]; by {
		case "":
		case survivedText:
			if !*again {
				m.state = survived
			}
		default:
			m.state, m.by = killed, by
		}
		for t := m.target; m.state == unknown && t != nil; t = t.next {
			if err := t.build(ctx, dir); err != nil {
				return err
			}
		}
	}
	work := make(chan *mutant)
	var all sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range *jobs {
		all.Go(func() {
			for m := range work {
				runOne(ctx, m)
				mu.Lock()
				done++
				fmt.Fprintf(os.Stderr, "%d/%d %s: %s\n", done, len(mutants), m, m.verdict())
				if ctx.Err() == nil {
					keepResult(m)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range mutants {
		if m.state != unknown {
			mu.Lock()
			done++
			mu.Unlock()
			continue
		}
		if ctx.Err() != nil {
			break
		}
		work <- m
	}
	close(work)
	all.Wait()
	return ctx.Err()
}

// runOne runs the tests with the mutant on, at last also those of the targets that come next, if there are some.
func runOne(ctx context.Context, m *mutant) {
	for t := m.target; t != nil; t = t.next {
		for _, d := range []string{little, full} {
			if m.by = m.try(ctx, t, d); m.by != "" {
				m.state = killed
				return
			}
		}
	}
	m.state = survived
}

// build builds the tests of a target with all mutants, in dir, and runs them once with none of these on.
func (t *target) build(ctx context.Context, dir string) error {
	if t.bin != "" {
		return nil
	}
	dir = filepath.Join(dir, strings.ReplaceAll(t.dir, ".", "root"))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	files := map[string]string{}
	for name, src := range sources {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, src, 0o600); err != nil {
			return err
		}
		at, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		files[at] = file
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": files})
	if err != nil {
		return err
	}
	over := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(over, overlay, 0o600); err != nil {
		return err
	}
	t.bin = filepath.Join(dir, "suite.test")
	if out, err := command(ctx, buildLimit, "", nil, "go", "test", "-c", "-vet=off", "-overlay", over, "-o", t.bin, "./"+t.dir); err != nil {
		return fmt.Errorf("building the tests of %s: %w\n%s", t.dir, err, out)
	}
	if by := (&mutant{}).try(ctx, t, full); by != "" {
		return fmt.Errorf("without a mutant the tests of %s fail: %s", t.dir, by)
	}
	return nil
}

var (
	failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	begun  = regexp.MustCompile(`(?m)^=== RUN +(\w+)`)
)

// try runs the tests and returns which one has failed, "" if none has.
func (m *mutant) try(ctx context.Context, t *target, schedules string) string {
	out, err := command(ctx, testLimit, t.dir, []string{"STEPTEST_TIME=" + schedules, fmt.Sprint("MUTANT=", m.id)}, t.bin,
		"-test.run", t.run, "-test.failfast", "-test.v", "-test.timeout", (testLimit - 10*time.Second).String())
	if err == nil || ctx.Err() != nil {
		return ""
	}
	if f := failed.FindSubmatch(out); f != nil {
		return string(f[1])
	}
	names := begun.FindAllSubmatch(out, -1)
	if names == nil {
		return "the start"
	}
	name := string(names[len(names)-1][1])
	switch {
	case errors.Is(err, context.DeadlineExceeded), bytes.Contains(out, []byte("panic: test timed out")):
		return name + " (hangs)"
	case bytes.Contains(out, []byte("fatal error: ")):
		return name + " (crashes)"
	}
	return name + " (panics)"
}

// command runs a program, with all that it starts killed at the limit.
func command(ctx context.Context, limit time.Duration, dir string, env []string, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	withChildren(c)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if err != nil && ctx.Err() != nil {
		return out, ctx.Err()
	}
	return out, err
}

// readResults returns who has killed which mutant in an earlier run, or that it has survived.
func readResults() (map[string]string, error) {
	if *results == "" {
		return nil, nil
	}
	f, err := os.Open(*results)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	known := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		key, by, _ := strings.Cut(s.Text(), "\t")
		known[key] = by
	}
	return known, nil
}

func keepResult(m *mutant) {
	if *results == "" {
		return
	}
	by := m.by
	if m.state == survived {
		by = survivedText
	}
	f, err := os.OpenFile(*results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(f, "%s\t%s\n", m.key(), by)
	_ = f.Close()
}
