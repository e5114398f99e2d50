package lockstep_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// A ticker beside a task that is always busy comes within a quantum of its time, however often: the error does not grow. After a
// stall, the documented rule holds: one tick at once, those in between are dropped, and the next ones come in phase.
func TestD25TickerDoesNotDrift(t *testing.T) {
	const period, quantum, step = 10 * time.Millisecond, time.Millisecond, 100 * time.Microsecond
	ticks := rounds(200, 1000)
	for _, locked := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := still(t, 1, lockstep.WithLockOSThread(locked), lockstep.WithQuantum(quantum))
			stop := false
			p.Go(func() {
				for !stop {
					time.Sleep(step) // stands for work
					lockstep.YieldIfNeeded()
				}
			})
			inTask(p, func(ctx context.Context) {
				defer func() { stop = true }()
				from := time.Now()
				ticker := lockstep.NewTicker(period)
				defer ticker.Stop()
				tick := func(n int) {
					_, err := ticker.Wait(ctx)
					require.NoError(t, err)
					late := time.Since(from) - time.Duration(n)*period
					if late < 0 || late > quantum+step {
						require.Fail(t, "not in time", "tick %d is late by %v", n, late)
					}
				}
				for n := range ticks {
					tick(n + 1)
				}
				stalled := time.Duration(ticks)*period + 55*time.Millisecond
				time.Sleep(stalled - time.Since(from))
				_, err := ticker.Wait(ctx)
				require.NoError(t, err)
				require.LessOrEqual(t, time.Since(from), stalled+quantum+step, "at once")
				for n := range 10 {
					tick(ticks + 6 + n)
				}
			})
			require.NoError(t, p.Close())
		})
	}
}
