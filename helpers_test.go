package lockstep_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// Threads that wait for a P, because tasks compute on all of them, are not held by a task: they
// must not call for helpers, which would wait for a P too and call for more.
func TestHelpersDoNotCallForHelpers(t *testing.T) {
	withProcs(t, 1)
	for range 3 {
		p := workers(t, 2)
		g, _ := lockstep.NewGroup(p.Context(bg))
		g.SetLimit(20)
		for range 40 {
			g.Go(func() error { recurse(1<<20, lockstep.Yield); return nil })
		}
		require.NoError(t, g.Wait())
		require.LessOrEqual(t, p.Stats().Rescue.Helpers, 40, "at most one for each task")
	}
}

// Helpers end some time after the last worker has come back, however it was held.
func TestHelpersOfAnIdlePoolEnd(t *testing.T) {
	for range 10 {
		p := workers(t, 2, lockstep.WithStallThreshold(100*time.Microsecond))
		g, _ := lockstep.NewGroup(p.Context(bg))
		for i := range 400 {
			g.Go(func() error {
				if i%3 == 0 {
					<-time.After(time.Duration(i%70) * time.Microsecond)
				}
				if i%2 == 0 {
					lockstep.Yield()
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
		until(func() bool { return p.Stats().Rescue.Helpers == 0 })
	}
}

// While one worker is held for hours, what comes is served, by one helper and not by more and more.
func TestOneHelperServesOneHeldWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 1)
		release := hold(p, 1)
		for i := range 200 {
			time.Sleep(time.Duration(i) * time.Second)
			at := time.Now()
			done := make(chan struct{})
			p.Go(func() { close(done) })
			<-done
			require.LessOrEqual(t, time.Since(at), rescuedWithin)
		}
		require.Equal(t, 1, p.Stats().Rescue.Helpers)
		release()
		time.Sleep(time.Minute)
		require.Zero(t, p.Stats().Rescue.Helpers)
	})
}

// rescuedWithin is far above the threshold of a stall, because a bubble's milliseconds pass while the real thread of a blocked
// worker is still on its way to sleep, and far below everything else that these tests wait for.
const rescuedWithin = 900 * time.Millisecond
