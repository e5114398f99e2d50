package chans_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/chans"
)

// A channel or ring that outlives a synctest bubble, a package's variable for instance, may be waited for inside bubbles and
// outside, one after the other, as a native channel may.
func TestBubblesDoNotMix(t *testing.T) {
	c, room, r := chans.New[int](0), chans.New[int](1), chans.NewSPSC[int](1)
	require.NoError(t, room.Put(0))
	wait := func(settle func()) {
		ends := make(chan int, 3)
		go func() { v, _ := c.Get(); ends <- v }()
		go func() { _ = room.Put(2); ends <- 2 }()
		go func() { v, _ := r.Pop(bg); ends <- v }()
		settle()
		require.NoError(t, c.Put(1))
		_, ok := room.Get()
		require.True(t, ok)
		require.True(t, r.TryPush(3))
		require.Equal(t, 6, <-ends+<-ends+<-ends)
	}
	outside := func() {
		until(func() bool {
			_, receivers := chans.Waiting(c)
			senders, _ := chans.Waiting(room)
			return receivers == 1 && senders == 1
		})
	}
	for range 20 {
		synctest.Test(t, func(*testing.T) { wait(synctest.Wait) })
		wait(outside)
	}
}
