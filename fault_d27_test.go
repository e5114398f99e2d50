package lockstep_test

import (
	"io"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// All profiles are taken while coroutines switch on several threads; nothing crashes, and every task goes on.
func TestD27ProfilesWhileCoroutinesSwitch(t *testing.T) {
	p := workers(t, 4)
	var stop atomic.Bool
	turns := make([]atomic.Int64, 4*64)
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
	long, _ := stressTime(0)
	for from := time.Now(); time.Since(from) <= min(long, 10*time.Second); {
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
	before := make([]int64, len(turns))
	for i := range turns {
		before[i] = turns[i].Load()
	}
	for i := range turns { // all go on
		until(func() bool { return turns[i].Load() > before[i] })
	}
	stop.Store(true)
}
