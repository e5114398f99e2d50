// Package external runs benchmarks that are no Go programs and hands on what they measured.
//
// There is one such program, the crate in bench/rust, which measures tokio and glommio with the workloads of package
// workload. Its rows have the same names, so a report can put them beside a run of its own on the same machine. A
// typical use is
//
//	report, err := external.Rust(ctx, external.Options{Rounds: 10, Progress: os.Stderr})
//	if errors.Is(err, external.ErrNoCargo) {
//		// say so and go on
//	}
//
// The program prints a JSON object a line. A line with a workload is a Result, one without is a Remark on a rival:
//
//	{"workload":"","rival":"tokio multi_thread","note":"tokio 1.54.1, ..."}
//	{"workload":"YieldLone","title":"...","rival":"tokio multi_thread","unit":"ns/yield","value":41.2,"rounds":[41.2],"note":""}
package external

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// ErrNoCargo says that there is nothing to build the Rust rivals with on this machine.
var ErrNoCargo = errors.New("cargo is not installed, so the Rust rivals are left out")

// Result is one rival in one row.
type Result struct {
	// Workload is the row's name, the same as in package workload where the row exists there.
	Workload string `json:"workload"`
	// Title says in words what one operation is, and Unit is its unit, for example "ns/task".
	Title string `json:"title"`
	Rival string `json:"rival"`
	Unit  string `json:"unit"`
	// Value is the median of Rounds, which holds a value for every measured round. A rival that failed has no rounds.
	Value  float64   `json:"value"`
	Rounds []float64 `json:"rounds"`
	// Note says in which idiom the rival does the row, and what went wrong.
	Note string `json:"note"`
}

// Remark says what a rival is, with its version, or why it was left out.
type Remark struct {
	Rival string `json:"rival"`
	Note  string `json:"note"`
}

// Report is everything a program said.
type Report struct {
	// Remarks are in the order of a table's columns, Results in the order of its rows.
	Remarks []Remark `json:"remarks"`
	Results []Result `json:"results"`
}

// Options is what to measure. The zero value measures everything as the program thinks best.
type Options struct {
	// Dir is the crate's directory. Empty means bench/rust or rust, whichever the working directory or one of its
	// parents has.
	Dir string
	// Rounds and Workers are left to the program when they are zero.
	Rounds, Workers int
	// Only, if not empty, is a regular expression of the rows to measure. It is Rust's, which in what matters here is
	// Go's. No row may match: then the report is empty.
	Only string
	// Cold leaves out the round that is thrown away before the measured ones. Every measurement still warms up with a
	// tenth of its work.
	Cold bool
	// Short runs every row once and tiny, to prove that it runs.
	Short bool
	// Progress, if not nil, is where cargo and the program say what they do.
	Progress io.Writer
}

// Rust builds the crate, runs it and returns what it measured. It returns ErrNoCargo where there is no cargo. The end
// of ctx ends cargo or the program.
func Rust(ctx context.Context, o Options) (Report, error) {
	program, err := Build(ctx, o)
	if err != nil {
		return Report{}, err
	}
	return program.Measure(ctx, o)
}

// Program is the crate, built. A driver that goes round by round measures with it once a round, with Options.Rounds at
// one and Options.Cold set after the first.
type Program struct{ path string }

// Build is the first half of Rust. It uses Dir and Progress of the options.
func Build(ctx context.Context, o Options) (*Program, error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return nil, ErrNoCargo
	}
	dir := o.Dir
	if dir == "" {
		if dir, err = crate(); err != nil {
			return nil, err
		}
	}
	// Absolute, because cargo runs in dir and the program where we are.
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("find bench/rust: %w", err)
	}
	target := filepath.Join(dir, "target")
	build := exec.CommandContext(ctx, cargo, "build", "--release", "--locked", "--target-dir", target)
	build.Dir, build.Stdout, build.Stderr = dir, o.Progress, o.Progress
	if err := build.Run(); err != nil {
		return nil, ended(ctx, fmt.Errorf("build %s: %w", dir, err))
	}
	return &Program{path: filepath.Join(target, "release", "lockstep-rivals")}, nil
}

// Measure runs the program once and returns what it measured. Dir has no effect any more.
func (p *Program) Measure(ctx context.Context, o Options) (Report, error) {
	program := exec.CommandContext(ctx, p.path, o.args()...)
	program.Stderr = o.Progress
	out, err := program.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == noRows {
			return Report{}, nil
		}
		return Report{}, ended(ctx, fmt.Errorf("measure the Rust rivals: %w", err))
	}
	return Parse(bytes.NewReader(out))
}

// noRows is how the program ends when Only matches no row.
const noRows = 3

// ended prefers the reason why ctx ended to what a killed process says.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (o Options) args() []string {
	var args []string
	if o.Rounds > 0 {
		args = append(args, "--rounds="+strconv.Itoa(o.Rounds))
	}
	if o.Workers > 0 {
		args = append(args, "--workers="+strconv.Itoa(o.Workers))
	}
	if o.Only != "" {
		args = append(args, "--only="+o.Only)
	}
	if o.Cold {
		args = append(args, "--cold")
	}
	if o.Short {
		args = append(args, "--short")
	}
	return args
}

// crate looks upwards from the working directory, which is bench under `go run ./cmd/compare` and a package's own
// directory in a test.
func crate() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find bench/rust: %w", err)
	}
	for {
		for _, dir := range []string{filepath.Join(at, "rust"), filepath.Join(at, "bench", "rust")} {
			if _, err := os.Stat(filepath.Join(dir, "Cargo.toml")); err == nil {
				return dir, nil
			}
		}
		up := filepath.Dir(at)
		if up == at {
			return "", errors.New("find bench/rust: no directory upwards from here has it")
		}
		at = up
	}
}

// Parse reads the lines of such a program.
func Parse(r io.Reader) (Report, error) {
	var report Report
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var result Result
		if err := json.Unmarshal(line, &result); err != nil {
			return Report{}, fmt.Errorf("line %d of the Rust rivals' output: %w", number, err)
		}
		switch {
		case result.Rival == "":
			return Report{}, fmt.Errorf("line %d of the Rust rivals' output names no rival", number)
		case result.Workload == "":
			report.Remarks = append(report.Remarks, Remark{Rival: result.Rival, Note: result.Note})
		default:
			report.Results = append(report.Results, result)
		}
	}
	if err := lines.Err(); err != nil {
		return Report{}, fmt.Errorf("read the Rust rivals' output: %w", err)
	}
	return report, nil
}
