package steptest_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// FuzzHandOver passes: fuzzing it tries schedules of the locks' own code.
func FuzzHandOver(f *testing.F) {
	steptest.Fuzz(f, func(t *steptest.T) {
		var mu tasksync.Mutex
		var wg tasksync.WaitGroup
		n, inside := 0, false
		for range 3 {
			wg.Go(func() {
				for range 2 {
					mu.Lock()
					require.False(t, inside)
					inside = true
					t.Point("inside")
					inside = false
					n++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		require.Equal(t, 6, n)
	})
}

// FuzzDeadlock fails; it is run by the test below, in a process of its own.
func FuzzDeadlock(f *testing.F) {
	if os.Getenv("STEPTEST_CHILD") == "" {
		f.Skip("it fails on purpose, for TestFuzzFindsADeadlock")
	}
	steptest.Fuzz(f, transfers)
}

// Among the seeds is a schedule that switches at each point, which is enough for two locks.
func TestFuzzFindsADeadlock(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^FuzzDeadlock$")
	cmd.Env = append(os.Environ(), "STEPTEST_CHILD=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "%s", out)
	require.Contains(t, string(out), "steptest: deadlock in the schedule of the input")
	require.Contains(t, string(out), "circle: t1 waits for b of t2, t2 waits for a of t1")
}
