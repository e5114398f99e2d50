package rewrite_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/dropin/rewrite"
)

// TestExecution runs the golden packages as they are, and rewritten with plain goroutines and with pools
// behind them. They have to print the same, line numbers included, and what ends the
// process has to end it.
func TestExecution(t *testing.T) {
	c := rewrite.Config{Pool: target, KeepLines: true}
	r, err := rewrite.Packages(c, cases(t)...)
	require.NoError(t, err)
	dir := t.TempDir()
	overlay, err := r.WriteOverlay(filepath.Join(dir, "overlay"), nil)
	require.NoError(t, err)
	before, after := build(t, dir, "before"), build(t, dir, "after", "-overlay="+overlay)
	want, err := execute(t, nil, before)
	require.NoError(t, err, want)
	for _, env := range environments {
		t.Run(strings.Join(env, " "), func(t *testing.T) {
			got, err := execute(t, env, after)
			require.NoError(t, err, got)
			require.Equal(t, want, got)
		})
	}

	for what, message := range map[string]string{
		"panic":                     "panic: crash: panic",
		"panic constant":            "panic: crash: panic constant",
		"literal":                   "panic: crash: literal",
		"nil func":                  "go of nil func value",
		"nil func with an argument": "nil pointer dereference",
		"nil method":                "nil pointer dereference",
		"recover":                   "panic: crash: recover",
	} {
		for _, env := range environments {
			t.Run(what+" "+env[0], func(t *testing.T) {
				for _, program := range []string{before, after} {
					text, err := execute(t, env, program, "crash", what)
					var exit *exec.ExitError
					require.ErrorAs(t, err, &exit, text)
					require.Equal(t, 2, exit.ExitCode(), text)
					require.Contains(t, text, message)
				}
			})
		}
	}
}

// environments are those of package onpool.
var environments = [][]string{
	{"LOCKSTEP_DROPIN=control"},
	{"LOCKSTEP_DROPIN=pool", "LOCKSTEP_WORKERS=1"},
	{"LOCKSTEP_DROPIN=pool", "LOCKSTEP_WORKERS=1", "LOCKSTEP_FLOATING=1"},
}

func build(t *testing.T, dir, name string, flags ...string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	name = filepath.Join(dir, name)
	args := append([]string{"build", "-o", name}, flags...)
	out, err := exec.Command("go", append(args, "./testdata/src/run")...).CombinedOutput()
	require.NoError(t, err, string(out))
	return name
}

// execute returns what a program prints to both outputs.
func execute(t *testing.T, env []string, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return out.String(), err
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		<-done
		return out.String(), errors.New("it hangs")
	}
}
