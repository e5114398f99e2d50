package chans_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/chans"
)

// A sender has its place in the ring and has not written yet. To others the ring is not empty, and may be full; who
// receives waits for that value, whether a sender waits for room or not.
func TestHalfASend(t *testing.T) {
	for _, crowded := range []bool{false, true} {
		c := chans.New[int](1)
		write := chans.HalfSend(c, 7)
		require.Equal(t, 1, c.Len())
		require.Equal(t, chans.ErrNotReady, c.TrySend(8))
		ended := make(chan error, 1)
		if crowded {
			go func() { ended <- c.Put(8) }()
			until(func() bool { senders, _ := chans.Waiting(c); return senders == 1 })
		}
		began, got := make(chan struct{}), make(chan int, 1)
		go func() {
			close(began)
			v, err := c.TryReceive()
			if err != nil {
				v = -1
			}
			got <- v
		}()
		<-began
		for range 1000 { // it is likely to look meanwhile; it must not find anything, whether it does or not
			runtime.Gosched()
		}
		write()
		require.Equal(t, 7, <-got)
		if crowded {
			require.NoError(t, <-ended)
			v, err := c.TryReceive()
			require.NoError(t, err)
			require.Equal(t, 8, v)
		}
	}
}
