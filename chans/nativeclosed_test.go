//go:build !race

package chans_test

// The race detector reports a close that does not wait for the sends, which is what this test is about.

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// A send that waits on a channel that is closed panics in its task, alone or among others.
func TestNativeSendOnClosed(t *testing.T) {
	p := workers(t, 1)
	for _, n := range []int{1, 40} {
		ch, other := make(chan int), make(chan int)
		caught := make(chan any, n)
		for range n {
			p.Go(func() {
				defer func() { caught <- recover() }()
				_ = chans.SendNative(bg, ch, 1)
			})
			p.Go(func() { _, _, _ = chans.ReceiveNative(bg, other) })
		}
		inTask(p, lockstep.Yield)
		close(ch)
		for range n {
			require.ErrorContains(t, (<-caught).(error), "send on closed channel")
		}
		close(other)
	}
}
