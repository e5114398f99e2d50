package lockstep_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// deadlocked makes one locked worker of p block for ever: a task holds mu over a yield, and the next task of its thread
// waits for mu. All other workers of p, others in number, must be idle. It returns when the pool has reported it.
func deadlocked(p *lockstep.Pool, others int, mu *sync.Mutex, seen reports) lockstep.StallReport {
	release := hold(p, others) // so that nobody steals the second task
	p.Go(func() {
		mu.Lock()
		p.Go(func() { waitsForTheLock(mu) })
		lockstep.Yield()
		panic("lockstep held on to a thread that was blocked")
	})
	r := seen.with("lockstep_test.waitsForTheLock")
	release()
	return r
}

//go:noinline
func waitsForTheLock(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
}

// A native lock held over a yield blocks its thread for good, which the documentation forbids. The report names the
// one that waits and the one that cannot go on, and Shutdown gives up at its deadline and names both.
func TestD03NativeLockHeldOverAYieldIsReported(t *testing.T) {
	seen := make(reports, 10)
	p := newPool(t, lockstep.WithWorkers(1), lockstep.WithLockOSThread(true), lockstep.WithStallThreshold(time.Millisecond), seen.handler())
	var mu sync.Mutex
	r := deadlocked(p, 0, &mu, seen)
	require.Contains(t, r.Site, "fault_d03_test.go:")
	require.Contains(t, string(r.Stack), "sync.(*Mutex).Lock")
	require.False(t, r.Busy)
	require.Len(t, r.Stranded, 2, "the one that waits and the one that holds the lock")
	require.Contains(t, strings.Join(r.Stranded, "\n"), "yielding")
	require.NoError(t, p.Run(bg, func(context.Context) error { return nil }), "a helper does everything else")

	ctx, cancel := context.WithTimeout(bg, 20*time.Millisecond)
	defer cancel()
	err := p.Shutdown(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "gave up with 2 tasks left")
	require.ErrorContains(t, err, "running")
	require.ErrorContains(t, err, "yielding")
	require.Equal(t, 2, strings.Count(err.Error(), "fault_d03_test.go:"), err)
	mu.Unlock() // in the place of the holder, which Shutdown ends in its Yield
	require.NoError(t, p.Close())
}

// Beside such a pair on one worker, all tasks that come run on the other, and what falls to the blocked one runs on a helper.
func TestD03StreamBesideADeadlockedWorker(t *testing.T) {
	seen := make(reports, 10)
	p := newPool(t, lockstep.WithWorkers(2), lockstep.WithLockOSThread(true), lockstep.WithStallThreshold(time.Millisecond), seen.handler())
	var mu sync.Mutex
	deadlocked(p, 1, &mu, seen)
	var ran atomic.Int32
	for i := range 1000 {
		f := func() { ran.Inc() }
		switch i % 4 {
		case 0:
			require.NoError(t, p.Run(bg, func(context.Context) error { f(); lockstep.Yield(); return nil }))
		case 1:
			p.Go(func() { p.Go(f) })
		default:
			p.Go(f)
		}
	}
	until(func() bool { return ran.Load() == 1000 })
	require.Error(t, p.Shutdown(endedContext()))
	mu.Unlock()
	require.NoError(t, p.Close())
}
