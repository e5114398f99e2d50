package steptest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// failures are bodies that fail, and what the report says of them.
var failures = map[string]struct {
	body func(t *steptest.T)
	says []string
}{
	"panic": {
		func(*steptest.T) { lockstep.Go(func() { panic(errors.New("boom")) }); lockstep.Yield() },
		[]string{"steptest: panic", "boom", "in t1 (spawned at failure_test.go:", "failure_test.go:"},
	},
	"panic of the body": {func(*steptest.T) { panic("boom") }, []string{"steptest: panic", "(in the body)"}},
	"panic of a cleanup": {
		func(t *steptest.T) { t.Cleanup(func() { panic("boom") }) }, []string{"steptest: panic", "(in the body)"},
	},
	"panic in a section": {func(*steptest.T) {
		lockstep.Go(func() { lockstep.BlockInPlace(func() { panic("boom") }, moved) })
		lockstep.Yield()
	}, []string{"steptest: panic", "boom"}},
	"FailNow in a task": {
		func(t *steptest.T) { lockstep.Go(t.FailNow); lockstep.Yield() },
		[]string{"steptest: failure", "FailNow\n    (in t1"},
	},
	"Fatal": {func(t *steptest.T) { t.Log("a line"); t.Fatal("it is", 7) }, []string{"it is 7\n    (in the body)", "logged:\n      a line"}},
	"require in a task": {func(t *steptest.T) {
		g := lockstep.Group{}
		g.Go(func() error { require.Equal(t, 1, 2, "of the task"); return nil })
		_ = g.Wait()
		t.Log("not reached")
	}, []string{"steptest: failure", "of the task", "in t1"}},
	"assert, and on": {func(t *steptest.T) {
		assert.Equal(t, 1, 2)
		assert.Equal(t, 3, 4)
		t.Point("it ends here")
		t.Log("not reached")
	}, []string{"steptest: failure", "expected: 1", "expected: 3"}},
	"Goexit of the body": {func(*steptest.T) { runtime.Goexit() }, []string{"the body has called runtime.Goexit without failing the test"}},
	"Goexit and on": {func(t *steptest.T) {
		lockstep.Go(func() { defer t.Error("deferred"); runtime.Goexit() })
		lockstep.Yield()
	}, []string{"steptest: failure", "deferred"}},
	"deadlock": {transfers, []string{
		"steptest: deadlock", "waiting for a lock: b, which t2 has", "it has a",
		"circle: t1 waits for b of t2, t2 waits for a of t1", "waits for ever",
	}},
	"deadlock with oneself": {func(*steptest.T) {
		var mu tasksync.Mutex
		mu.Lock()
		mu.Lock()
	}, []string{"steptest: deadlock", "circle: body waits for Mutex#1 of body"}},
	"nobody sends": {func(*steptest.T) { chans.New[int](0).Get() }, []string{"steptest: deadlock", "receiving from a channel: Chan#1, at failure_test.go:"}},
	"leak": {func(*steptest.T) {
		c := chans.New[int](0)
		lockstep.Go(func() { _ = c.Put(1) })
	}, []string{"steptest: leak", "t1 (spawned at failure_test.go:", "sending on a channel: Chan#1"}},
	"a native deadline": {func(*steptest.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		_, _ = chans.New[int](0).Receive(ctx)
	}, []string{"steptest: deadlock", "use lockstep.WithTimeout"}},
	"a goroutine of the body's": {func(*steptest.T) {
		c := chans.New[int](0)
		gate := make(chan int)
		go func() { <-gate }()
		defer close(gate)
		c.Get()
	}, []string{"steptest: deadlock", "a goroutine that the body has started is at failure_test.go:", "use lockstep.Go"}},
	"a goroutine spawns": {func(t *steptest.T) {
		p, done := t.Pool(), make(chan int)
		go func() { p.Go(func() {}); close(done) }()
		<-done
		lockstep.Yield()
	}, []string{"steptest: uncontrolled goroutine", "spawns a task at ", "failure_test.go:"}},
	"a goroutine wakes": {func(t *steptest.T) {
		c, done := chans.New[int](0), make(chan int)
		lockstep.Go(func() { c.Get() })
		for range 3 {
			lockstep.Yield() // so that the task waits
		}
		go func() { defer close(done); _ = c.TrySend(1) }()
		<-done
		lockstep.Yield()
	}, []string{"steptest: uncontrolled goroutine", "wakes one at ", "failure_test.go:"}},
	"a pool from outside": {func(t *steptest.T) { outside.Go(func() {}) }, []string{"steptest: panic", "make the pool in the body"}},
	"a pool from before": {func(*steptest.T) {
		if kept == nil {
			kept, _ = lockstep.New()
		}
		kept.Go(func() {})
	}, []string{"steptest: ", "a pool that was made in an earlier schedule"}},
	"a body in a body": {func(t *steptest.T) { steptest.Run(t, func(*steptest.T) {}) }, []string{"tries schedules itself"}},
	"a wrong option":   {func(t *steptest.T) { t.Pool(lockstep.WithWorkers(-1)) }, []string{"steptest: failure", "WithWorkers(-1)"}},
	"leaks": {func(*steptest.T) {
		c := chans.New[int](0)
		for range 40 {
			lockstep.Go(func() { c.Get() })
		}
	}, []string{"steptest: leak", "and 10 more"}},
	"no end of tasks": {func(*steptest.T) {
		for {
			lockstep.Go(func() {})
		}
	}, []string{"steptest: livelock", " tasks were spawned"}},
	"no end of timers": {func(*steptest.T) {
		var again func()
		again = func() { lockstep.AfterFunc(time.Second, again) }
		again()
	}, []string{"steptest: livelock", "time passes, spawns t"}},
	"Eventually": {func(t *steptest.T) {
		t.Eventually(func() bool { return false }, 5)
	}, []string{"not so after 10 turns"}},
}

var outside, kept *lockstep.Pool

func TestFailures(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(1))
	require.NoError(t, err)
	outside, kept = p, nil
	defer func() { require.NoError(t, p.Close()) }()
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			r := outcome("TestX", f.body, steptest.Schedules(100), steptest.MaxSteps(1000))
			require.True(t, r.failed)
			for _, text := range f.says {
				require.Contains(t, r.text, text)
			}
			require.NotContains(t, r.text, "not reached")
		})
	}
}

// What the cleanups do is part of the schedule. They are called in any case, the last one first, and the context has ended by then.
func TestCleanups(t *testing.T) {
	for _, how := range []string{"", "fails", "fails in a cleanup", "waits for ever"} {
		var events []string
		r := outcome("TestX", func(t *steptest.T) {
			events = nil
			ctx := t.Context()
			var mu tasksync.Mutex
			t.Cleanup(func() { events = append(events, fmt.Sprint("first ", ctx.Err())) })
			t.Cleanup(func() {
				if events = append(events, "second"); how == "fails in a cleanup" {
					t.FailNow()
				}
				mu.Lock()
			})
			switch how {
			case "fails":
				t.FailNow()
			case "waits for ever":
				mu.Lock()
				mu.Lock()
			}
		})
		require.Equal(t, how != "", r.failed, r.text)
		require.Equal(t, []string{"second", "first context canceled"}, events, how)
	}
}

func TestSkips(t *testing.T) {
	r := outcome("TestX", func(t *steptest.T) { t.Skip("not here") })
	require.True(t, r.skipped)
	require.Contains(t, r.logs, "not here")
	r = outcome("TestX", func(t *steptest.T) { lockstep.Go(t.SkipNow); lockstep.Yield(); t.Point("") })
	require.False(t, r.failed)
	n := 0
	r = outcome("TestX", func(t *steptest.T) {
		if n++; t.Choose(2) == 1 && n > 1 {
			t.Skipf("a schedule that is of no use")
		}
	})
	require.False(t, r.failed, r.text)
}
