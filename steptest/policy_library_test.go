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
		p := t.Pool(lockstep.WithWorkers(3))
		c := chans.New[int](0)
		g, _ := lockstep.NewGroup(p.Context(t.Context()))
		for range 3 {
			g.Go(func() error { return c.Send(t.Context(), 1) })
			g.Go(func() error { _, err := c.Receive(t.Context()); lockstep.Yield(); return err })
		}
		require.NoError(t, g.Wait())
	}, steptest.Policy())
}
