package steptest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
)

// A worker without work steals from another one only what has not begun: what has been woken there stays.
func TestPolicyStealsWhatHasNotBegun(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		c := chans.New[int](0)
		var senders, receivers lockstep.Group
		for range 2 {
			senders.Go(func() error { _ = c.Put(1); return c.Put(2) })
		}
		sum := 0
		for range 2 {
			receivers.Go(func() error {
				for v := range c.All(t.Context()) {
					sum += v
				}
				return nil
			})
		}
		require.NoError(t, senders.Wait())
		c.Close()
		require.NoError(t, receivers.Wait())
		require.Equal(t, 6, sum)
	}, steptest.Policy())
}
