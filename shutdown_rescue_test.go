package lockstep_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// A helper that comes after a forced shutdown drops what has not begun, like every worker.
func TestHelperAfterShutdownDropsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 1)
		release := hold(p, 1)
		for range 100 {
			p.Go(func() { t.Error("ran after Shutdown had returned") })
		}
		task := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { t.Error("ran"); return 0, nil })
		err := p.Shutdown(endedContext())
		_, ended := task.Wait(bg) // a helper ends it, although the worker is still held
		release()
		require.ErrorContains(t, err, "with 1 tasks left")
		require.Equal(t, lockstep.ErrShutdown, ended)
		require.NoError(t, p.Close())
		require.Equal(t, uint64(100), p.Stats().Queues[0].Cancelled)
	})
}

// While a killed task blocks in its deferred calls, helpers look after the worker's timers, of
// which one ends waits of other tasks on that worker.
func TestKilledTaskBlocksInADeferredCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 1)
		gate := make(chan struct{})
		var began sync.WaitGroup
		began.Add(11)
		var tidied atomic.Int32
		for range 10 {
			p.Go(func() {
				defer tidied.Inc()
				defer func() {
					for {
						_ = lockstep.Sleep(bg, time.Hour)
					}
				}()
				began.Done()
				for {
					lockstep.Yield()
				}
			})
		}
		p.Go(func() {
			defer func() { <-gate }()
			began.Done()
			for {
				lockstep.Yield()
			}
		})
		began.Wait()
		require.Error(t, p.Shutdown(endedContext()))
		time.Sleep(10 * time.Second)
		close(gate)
		require.NoError(t, p.Close())
		require.Equal(t, int32(10), tidied.Load())
	})
}

// Pools close while helpers come and go.
func TestCloseWhileHelpersComeAndGo(t *testing.T) {
	for round := range 60 {
		p := workers(t, 1+round%2, lockstep.WithStallThreshold(100*time.Microsecond), lockstep.WithLockOSThread(round%3 != 0))
		const n = 12
		var ran atomic.Int32
		gates := make([]chan struct{}, n)
		for i := range gates {
			gates[i] = make(chan struct{})
		}
		for i := range n { // each blocks until the next one has begun
			p.Go(func() {
				ran.Inc()
				if i > 0 {
					close(gates[i-1])
				}
				if i%3 == 0 {
					lockstep.Yield()
				}
				<-gates[i]
				p.Go(func() { ran.Inc() })
			})
		}
		p.Go(func() { close(gates[n-1]) })
		if round%5 == 4 {
			_ = p.Shutdown(endedContext())
			for i := range gates { // some were dropped
				func() {
					defer func() { _ = recover() }()
					close(gates[i])
				}()
			}
			require.NoError(t, p.Close())
			continue
		}
		require.NoError(t, p.Close())
		require.Equal(t, int32(2*n), ran.Load())
	}
}
