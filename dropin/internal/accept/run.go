package accept

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/lockstep-go/lockstep/dropin/target"
	"github.com/lockstep-go/lockstep/dropin/target/onpool"
)

// grace is how long a binary may take beyond its own timeout to print stacks and end.
const grace = 15 * time.Second

// Run runs one cell.
func (b *Binaries) Run(ctx context.Context, c Cell) Outcome {
	began := time.Now()
	o := Outcome{Cell: c}
	stem := filepath.Join(b.rewritten.bench.dir, c.file())
	o.Log = stem + ".log"
	log, err := os.Create(o.Log)
	if err != nil {
		o.Problem = err.Error()
		return o
	}
	defer log.Close()
	count := stem + ".count"
	_ = os.Remove(count)
	for i, p := range b.rewritten.packages {
		fmt.Fprintf(log, "=== %s\n", p.ImportPath)
		if err := c.run(ctx, b.paths[i], b.args, p.Dir, count, log); err != nil {
			o.Problem = fmt.Sprintf("%s: %v", p.ImportPath, err)
			break
		}
	}
	o.Took = time.Since(began)
	if info, err := os.Stat(count); err == nil {
		o.Calls = int(info.Size())
	}
	o.count()
	return o
}

// file is the stem of the cell's files.
func (c Cell) file() string {
	return fmt.Sprintf("%s_%s_race=%t_%d", c.Mode, workersText(c.Workers), c.Race, c.Round)
}

// env configures package onpool.
func (c Cell) env() []string {
	if c.Mode == Control {
		return []string{onpool.ModeEnv + "=control"}
	}
	env := []string{onpool.ModeEnv + "=pool", onpool.FloatingEnv + "=0", onpool.WorkersEnv + "="}
	if c.Mode == Floating {
		env[1] = onpool.FloatingEnv + "=1"
	}
	if c.Workers != MaxWorkers {
		env[2] += strconv.Itoa(c.Workers)
	}
	return env
}

// run runs one binary in the folder of its package, as go test does.
func (c Cell) run(ctx context.Context, binary string, args []string, dir, count string, log *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout+grace)
	defer cancel()
	args = append([]string{"-test.paniconexit0", "-test.v=true", "-test.timeout=" + c.Timeout.String()}, args...)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), c.env()...), "PWD="+dir, target.CountEnv+"="+count)
	cmd.Stdout, cmd.Stderr = log, log
	// A hang that stops even the timeout of the test is asked for its stacks once.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = grace
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return fmt.Errorf("it hangs, and did not even end by its own timeout of %v", c.Timeout)
	}
	return err
}

// String names the cell as progress lines do.
func (c Cell) String() string {
	text := c.Suite.Name + " " + c.Mode
	if c.Mode != Control {
		text += " workers=" + workersText(c.Workers)
	}
	if c.Race {
		text += " race"
	}
	return text
}

// Again returns the arguments of the acceptance command that run this cell and its control alone.
func (c Cell) Again() string {
	text := fmt.Sprintf("-packages '^%s$'", c.Suite.Name)
	if c.Mode != Control {
		text += fmt.Sprintf(" -modes %s -workers %s", c.Mode, workersText(c.Workers))
	}
	if c.Race {
		return text + " -rounds 0 -race-rounds 1"
	}
	return text + " -rounds 1 -race-rounds 0"
}

func workersText(n int) string {
	if n == MaxWorkers {
		return "max"
	}
	return strconv.Itoa(n)
}
