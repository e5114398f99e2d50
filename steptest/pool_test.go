package steptest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// race lets three tasks write down in what order they come.
func race(t *testing.T, seed uint64) string {
	p, err := steptest.NewPool(seed)
	require.NoError(t, err)
	var order strings.Builder
	var mu tasksync.Mutex
	for i := range 3 {
		p.Go(func() {
			for range 3 {
				mu.Lock()
				fmt.Fprint(&order, i)
				mu.Unlock()
			}
		})
	}
	require.Empty(t, order.String(), "nothing runs before somebody waits")
	require.NoError(t, p.Close())
	return order.String()
}

func TestNewPoolRepeatsItself(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		first := race(t, seed)
		require.Len(t, first, 9)
		require.Equal(t, first, race(t, seed))
		seen[first] = true
	}
	require.Greater(t, len(seen), 10)
}

// Whoever waits steps the tasks.
func TestNewPoolIsSteppedByWhoWaits(t *testing.T) {
	p, err := steptest.NewPool(1, lockstep.WithWorkers(3))
	require.NoError(t, err)
	ctx := context.Background()
	require.NoError(t, p.Run(ctx, func(ctx context.Context) error { return lockstep.Sleep(ctx, time.Hour) }))

	task := lockstep.Spawn(p.Context(ctx), func(context.Context) (int, error) { return 7, nil })
	v, err := task.Wait(ctx)
	require.NoError(t, err)
	require.Equal(t, 7, v)

	c := chans.New[int](0)
	p.Go(func() {
		for i := range 10 {
			_ = c.Put(i)
		}
		c.Close()
	})
	n := 0
	for v := range c.All(ctx) {
		require.Equal(t, n, v)
		n++
	}
	require.Equal(t, 10, n)

	var wg tasksync.WaitGroup
	wg.Add(1)
	p.Go(wg.Done)
	wg.Wait()

	fired := false
	require.NoError(t, p.Run(ctx, func(ctx context.Context) error {
		lockstep.AfterFunc(time.Minute, func() { fired = true })
		return lockstep.Sleep(ctx, time.Hour)
	}))
	require.True(t, fired)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	require.False(t, p.TryGo(func() {}))
}

func TestNewPoolRefusesWrongOptions(t *testing.T) {
	_, err := steptest.NewPool(1, lockstep.WithWorkers(-1))
	require.ErrorContains(t, err, "WithWorkers")
}
