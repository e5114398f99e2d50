package lockstep_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

func TestFloatingWorkersRunYieldingAndSleepingTasks(t *testing.T) {
	p := newPool(t, lockstep.WithWorkers(2), lockstep.WithLockOSThread(false))
	for range 50 {
		require.NoError(t, p.Run(context.Background(), func(ctx context.Context) error {
			g, _ := lockstep.NewGroup(ctx)
			for i := range 100 {
				g.Go(func() error {
					for range 10 {
						lockstep.Yield()
					}
					if i%3 == 0 {
						return lockstep.Sleep(ctx, time.Microsecond)
					}
					return nil
				})
			}
			return g.Wait()
		}))
	}
}

func TestPoolLivesInASynctestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p, err := lockstep.New(lockstep.WithWorkers(2))
		require.NoError(t, err)
		for range 3 {
			p.Go(func() { _ = lockstep.Sleep(context.Background(), time.Hour) })
		}
		require.NoError(t, p.Close())
		require.Equal(t, time.Hour, time.Since(start))
	})
}
