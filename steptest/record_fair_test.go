package steptest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// A replay is fair in the second half as the search was: a task that spins until another one has had its turn is no loop without an end.
func TestReplayIsFairToo(t *testing.T) {
	spins := func(t *steptest.T) {
		var wg tasksync.WaitGroup
		set := false
		wg.Go(func() {
			for !set {
				t.Point("spins")
			}
		})
		wg.Go(func() { t.Point("sets"); set = true })
		wg.Wait()
	}
	few := steptest.MaxSteps(200)
	require.False(t, outcome("TestSpins", spins, few).failed)
	steptest.Replay(t, "s1n:", spins, few, steptest.NoCorpus()) // the schedule in which tasks run until they wait
}
