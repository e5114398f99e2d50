package lockstep_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lockstep-go/lockstep"
)

// A test that has to crash runs this binary again with childEnv set to the name of a
// function in children, and reads what that printed.
const childEnv = "LOCKSTEP_CHILD"

var children = map[string]func(){}

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		// A child that runs tests of its own gets its flags on its command line.
		if f := children[name]; f != nil {
			f()
			os.Exit(0)
		}
		os.Exit(m.Run())
	}
	// Importing ants starts these two before main.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

// child runs children[name] in a process of its own and returns its exit status and
// what it wrote.
func child(t *testing.T, name string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

var bg = context.Background()

// floating says that the tests run on floating workers, where they do not ask for something that
// needs threads: LOCKSTEP_TEST_FLOATING=1 go test .
var floating = os.Getenv("LOCKSTEP_TEST_FLOATING") != ""

// newPool makes a pool that is closed when the test ends.
func newPool(t testing.TB, opts ...lockstep.Option) *lockstep.Pool {
	t.Helper()
	p, err := lockstep.New(opts...)
	if floating && err == nil {
		q, errFloating := lockstep.New(append(slices.Clone(opts), lockstep.WithLockOSThread(false))...)
		if errFloating == nil { // else the test itself says where it runs, or names threads
			require.NoError(t, p.Close())
			p = q
		}
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// workers is newPool with n workers.
func workers(t testing.TB, n int, opts ...lockstep.Option) *lockstep.Pool {
	t.Helper()
	return newPool(t, append(slices.Clone(opts), lockstep.WithWorkers(n))...)
}

// still is workers without rescue: a worker that a test holds leaves what is behind it alone.
func still(t testing.TB, n int, opts ...lockstep.Option) *lockstep.Pool {
	t.Helper()
	return workers(t, n, append(slices.Clone(opts), lockstep.WithMaxThreads(0))...)
}

// useDefault makes p the default pool until the test ends. There is no way to have none
// afterwards, so the tests that need the default pool all call it, and none is parallel.
func useDefault(t testing.TB, p *lockstep.Pool) {
	if before := lockstep.SetDefault(p); before != nil {
		t.Cleanup(func() { lockstep.SetDefault(before) })
	}
}

// withProcs sets GOMAXPROCS until the test ends.
func withProcs(t testing.TB, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// force shuts p down at once, and waits for tasks that did not get the processor in the time that a
// forced shutdown gives them.
func force(t testing.TB, p *lockstep.Pool) {
	t.Helper()
	_ = p.Shutdown(endedContext())
	require.NoError(t, p.Close())
}

// inTask calls f as a task of p.
func inTask(p *lockstep.Pool, f func(ctx context.Context)) {
	_ = p.Run(bg, func(ctx context.Context) error { f(ctx); return nil })
}

// hold occupies n workers of p, which must be idle, with tasks that block natively. It
// returns when they do; release lets them end.
func hold(p *lockstep.Pool, n int) (release func()) {
	gate, held := make(chan struct{}), make(chan struct{})
	for range n {
		p.Go(func() { held <- struct{}{}; <-gate })
	}
	for range n {
		<-held
	}
	return func() { close(gate) }
}

// until waits for something that has no event. A hang is ended by the test's time limit.
func until(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}

// panicOf returns what f panics with, nil if it returns.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// outside calls f on a new goroutine and waits for it, also when it ends by Goexit.
func outside(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
