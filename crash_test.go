package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

type temperature int

type point struct{ x, y int }

func (p point) String() string { return fmt.Sprintf("point %d/%d", p.x, p.y) }

func crashesTheProcess(v any) { panic(v) }

// crashing are children that end by a panic in a task, and what they print.
var crashing = map[string]struct {
	run   func(p *lockstep.Pool)
	print []string
}{
	"Go":       {func(p *lockstep.Pool) { p.Go(func() { crashesTheProcess("x") }) }, []string{"panic: x\n"}},
	"Yield":    {func(p *lockstep.Pool) { p.Go(func() { lockstep.Yield(); crashesTheProcess("x") }) }, []string{"panic: x\n"}},
	"error":    {func(p *lockstep.Pool) { p.Go(func() { crashesTheProcess(errors.New("an error")) }) }, []string{"panic: an error\n"}},
	"Stringer": {func(p *lockstep.Pool) { p.Go(func() { crashesTheProcess(point{1, 2}) }) }, []string{"panic: point 1/2\n"}},
	"custom":   {func(p *lockstep.Pool) { p.Go(func() { crashesTheProcess(temperature(7)) }) }, []string{"temperature(7)"}},
	"runtime": {
		func(p *lockstep.Pool) { p.Go(func() { crashesTheProcess(panicOf(panicsInTheRuntime)) }) },
		[]string{"panic: runtime error: integer divide by zero\n"},
	},
	"nil": {func(p *lockstep.Pool) { p.Go(func() { crashesTheProcess(nil) }) }, []string{"panic called with nil argument"}},
	"Spawn": {func(p *lockstep.Pool) {
		_, _ = lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { crashesTheProcess("x"); return 0, nil }).Wait(bg)
	}, []string{"panic: x\n"}},
	"Group": {func(p *lockstep.Pool) {
		g, _ := lockstep.NewGroup(p.Context(bg))
		g.Go(func() error { crashesTheProcess("x"); return nil })
		_ = g.Wait()
	}, []string{"panic: x\n"}},
	"Goexit": {func(p *lockstep.Pool) { p.Go(func() { defer crashesTheProcess("x"); exit() }) }, []string{"panic: x\n"}},
	"section": {func(p *lockstep.Pool) {
		p.Go(func() { lockstep.BlockInPlace(func() { crashesTheProcess("x") }, lockstep.WithBlockInPlace(true)) })
	}, []string{"panic: x\n", "lockstep.BlockInPlace"}},
	"floating": {func(*lockstep.Pool) {
		p, _ := lockstep.New(lockstep.WithLockOSThread(false))
		p.Go(func() { crashesTheProcess("x") })
	}, []string{"panic: x\n"}},
	"handler": {func(*lockstep.Pool) {
		p, _ := lockstep.New(lockstep.WithPanicHandler(func(e *lockstep.PanicError) { crashesTheProcess(fmt.Sprint("handler of ", e.Value)) }))
		p.Go(func() { panic("x") })
	}, []string{"panic: handler of x\n"}},
	"done first": {func(p *lockstep.Pool) { // D06: what the deferred call lets go on must not win
		var wg sync.WaitGroup
		wg.Add(1)
		p.Go(func() { defer wg.Done(); crashesTheProcess("x") })
		wg.Wait()
	}, []string{"panic: x\n"}},
}

func init() {
	for name, c := range crashing {
		children["crash "+name] = func() {
			p, _ := lockstep.New(lockstep.WithWorkers(2))
			c.run(p)
			select {}
		}
	}
	children["run"] = func() { // a panic passed to a caller who does not recover is his crash
		p, _ := lockstep.New()
		_ = p.Run(bg, func(context.Context) error { panic("x") })
	}
}

func TestD07PanicCrashesTheProcess(t *testing.T) {
	for name, c := range crashing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := child(t, "crash "+name)
			require.Equal(t, 2, code, stderr)
			require.Empty(t, stdout)
			require.Contains(t, stderr, "lockstep_test.crashesTheProcess", "the task's own stack")
			require.Contains(t, stderr, "crash_test.go:")
			for _, text := range c.print {
				require.Contains(t, stderr, text)
			}
		})
	}
	code, _, stderr := child(t, "run")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "panic: x")
	require.Contains(t, stderr, "main.main", "it is the caller's panic")
}

const failNowEnv = "LOCKSTEP_FAILNOW"

// TestChildOfFailNow is run by TestD08FailNowInATask in a process of its own.
func TestChildOfFailNow(t *testing.T) {
	how := os.Getenv(failNowEnv)
	if how == "" {
		t.Skip("for a child process")
	}
	p := workers(t, 1)
	failing := func() error {
		if strings.Contains(how, "yield") {
			lockstep.Yield()
		}
		defer fmt.Println("deferred")
		t.FailNow()
		fmt.Println("not reached")
		return nil
	}
	switch strings.Fields(how)[0] {
	case "go":
		p.Go(func() { _ = failing() })
	case "spawn":
		_, err := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { return 0, failing() }).Wait(bg)
		fmt.Println(err == lockstep.ErrGoexit)
	case "group":
		g, _ := lockstep.NewGroup(p.Context(bg))
		g.Go(failing)
		fmt.Println(g.Wait() == lockstep.ErrGoexit)
	case "run":
		defer fmt.Println("the test function ends too")
		_ = p.Run(bg, func(context.Context) error { return failing() })
		fmt.Println("not reached")
	}
	require.NoError(t, p.Close())
	fmt.Println("went on")
}

func TestD08FailNowInATask(t *testing.T) {
	for how, want := range map[string]string{
		"go": "deferred\nwent on\n", "go yield": "deferred\nwent on\n",
		"spawn": "deferred\ntrue\nwent on\n", "spawn yield": "deferred\ntrue\nwent on\n",
		"group": "deferred\ntrue\nwent on\n", "run": "deferred\nthe test function ends too\n",
		"run yield": "deferred\nthe test function ends too\n",
	} {
		t.Run(how, func(t *testing.T) {
			t.Setenv(failNowEnv, how)
			code, stdout, _ := child(t, "tests", "-test.run=^TestChildOfFailNow$", "-test.v=false", "-test.timeout=30s")
			require.Equal(t, 1, code, stdout)
			require.True(t, strings.HasPrefix(stdout, want), stdout)
			require.Contains(t, stdout, "--- FAIL: TestChildOfFailNow")
			require.NotContains(t, stdout, "panic")
		})
	}
}
