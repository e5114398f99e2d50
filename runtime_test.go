package lockstep_test

import (
	"context"
	"io"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// locking are tasks that leave their thread locked, which the documentation forbids.
var locking = map[string]func(){
	"yields": func() { runtime.LockOSThread(); lockstep.Yield(); runtime.UnlockOSThread() },
	"sleeps": func() { runtime.LockOSThread(); _ = lockstep.Sleep(bg, 1); runtime.UnlockOSThread() },
	"ends":   runtime.LockOSThread,
}

func init() {
	for name, f := range locking {
		children["locked "+name] = func() {
			p, _ := lockstep.New(lockstep.WithWorkers(1))
			for {
				p.Go(func() { p.Go(lockstep.Yield); f() }) // with another task to switch to
				_ = p.Run(bg, func(context.Context) error { p.Go(lockstep.Yield); lockstep.Yield(); return nil })
			}
		}
	}
}

func TestD26LockedThreadKillsTheProcessAsDocumented(t *testing.T) {
	for name := range locking {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := child(t, "locked "+name)
			require.Equal(t, 2, code)
			require.Contains(t, stderr, "fatal error: coro: OS thread")
		})
	}
}

func TestD27ProfilesWhileCoroutinesSwitch(t *testing.T) {
	p := workers(t, 4)
	var stop atomic.Bool
	var turns [4 * 16]atomic.Int64
	for i := range turns {
		p.Go(func() {
			for !stop.Load() {
				turns[i].Inc()
				lockstep.Yield()
			}
		})
	}
	require.NoError(t, pprof.StartCPUProfile(io.Discard))
	tracing := trace.Start(io.Discard) == nil
	buf := make([]byte, 1<<20)
	for range 3 {
		for debug := range 3 {
			require.NoError(t, pprof.Lookup("goroutine").WriteTo(io.Discard, debug))
		}
		runtime.Stack(buf, true)
		runtime.GC()
	}
	if tracing {
		trace.Stop()
	}
	pprof.StopCPUProfile()
	var before [len(turns)]int64
	for i := range turns {
		before[i] = turns[i].Load()
	}
	for i := range turns { // all go on
		until(func() bool { return turns[i].Load() > before[i] })
	}
	stop.Store(true)
}
