package threadcpu_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/threadcpu"
)

func TestBusyAndBlockedThreadsDiffer(t *testing.T) {
	if !threadcpu.Supported {
		t.Skip("no clocks of other threads on this system")
	}
	ids, gate, done := make(chan int), make(chan struct{}), make(chan struct{}, 2)
	var stop atomic.Bool
	go func() {
		runtime.LockOSThread()
		ids <- threadcpu.Self()
		<-gate
		done <- struct{}{}
	}()
	blocked := <-ids
	go func() {
		runtime.LockOSThread()
		ids <- threadcpu.Self()
		for !stop.Load() {
		}
		done <- struct{}{}
	}()
	busy := <-ids
	const enough = 20_000_000
	b0, ok := threadcpu.Time(blocked)
	require.True(t, ok)
	c0, ok := threadcpu.Time(busy)
	require.True(t, ok)
	for c := c0; c-c0 < enough; c, _ = threadcpu.Time(busy) {
		runtime.Gosched()
	}
	b, ok := threadcpu.Time(blocked)
	require.True(t, ok)
	require.Less(t, b-b0, int64(enough/2))
	for yes := true; yes; { // a thread that has just been scheduled out
		yes, ok = threadcpu.Runnable(blocked)
		require.True(t, ok)
	}
	for yes := false; !yes; { // the P may be taken from it for a moment
		yes, ok = threadcpu.Runnable(busy)
		require.True(t, ok)
	}
	stop.Store(true)
	close(gate)
	<-done
	<-done
}

func TestUnknownThread(t *testing.T) {
	_, ok := threadcpu.Time(0)
	require.False(t, ok)
	_, ok = threadcpu.Time(1 << 22) // beyond the kernel's largest thread id
	require.False(t, ok)
	for _, thread := range []int{0, 1 << 22} {
		_, ok = threadcpu.Runnable(thread)
		require.False(t, ok)
	}
}
