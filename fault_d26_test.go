package lockstep_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// locking are tasks that leave their thread locked, which the documentation forbids. One that unlocks what it has not locked takes the
// lock from its worker; the process dies by that too, but not until an older coroutine has its turn, which may be long after.
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

// D26 (d) and (e): a thread that a section leaves locked is not the next section's.
func TestD26LockedThreadInASection(t *testing.T) {
	p := workers(t, 1, lockstep.WithOverflow(1))
	inTask(p, func(context.Context) {
		runtime.LockOSThread()
		runtime.UnlockOSThread()
		lockstep.Yield()
		for range 3 {
			lockstep.BlockInPlace(runtime.LockOSThread, move)
			require.True(t, moved(p, move))
		}
	})
}
