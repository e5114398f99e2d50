package lockstep_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// After Close nothing of the pool, and nothing of ants but its own default pool, is on any stack.
func TestD14CloseLeavesNoFrames(t *testing.T) {
	before := runtime.NumGoroutine()
	buf := make([]byte, 1<<20)
	for range 100 {
		p, err := lockstep.New(lockstep.WithWorkers(4), lockstep.WithOverflow(2))
		require.NoError(t, err)
		for range 10 {
			p.Go(func() { lockstep.BlockInPlace(nothing, move) })
		}
		require.NoError(t, p.Close())
		until(func() bool { // a goroutine that has said that it is done is still there for a moment
			for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
				own := strings.Contains(stack, "goPurge in goroutine 1\n") || strings.Contains(stack, "goTicktock in goroutine 1\n")
				if strings.Contains(stack, "lockstep/pool.") || strings.Contains(stack, "ants") && !own {
					return false
				}
			}
			return true
		})
		settled(before)
	}
}
