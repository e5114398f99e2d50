package lockstep_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// A task that finds its own pool full is suspended: no thread waits, so that no helper is needed.
func TestD01FullPoolNeedsNoHelper(t *testing.T) {
	for _, n := range []int{1, 4} {
		for _, locked := range []bool{true, false} {
			p := still(t, n, lockstep.WithCapacity(1), lockstep.WithLockOSThread(locked))
			var parents []*lockstep.Task[int]
			for range n {
				parents = append(parents, lockstep.Spawn(p.Context(bg), func(ctx context.Context) (sum int, err error) {
					var children []*lockstep.Task[int]
					for range 1000 {
						children = append(children, lockstep.Spawn(ctx, func(context.Context) (int, error) { return 1, nil }))
					}
					for _, c := range children {
						v, errChild := c.Wait(ctx)
						if errChild != nil {
							return 0, errChild
						}
						sum += v
					}
					return sum, nil
				}))
			}
			for _, parent := range parents {
				sum, err := parent.Wait(bg)
				require.NoError(t, err)
				require.Equal(t, 1000, sum)
			}
			require.Zero(t, p.Stats().Rescue.Rescues)
		}
	}
}
