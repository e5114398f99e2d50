package steptest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Tests that run at the same time do not meet: each has its own tasks, time and choices.
func TestParallelRuns(t *testing.T) {
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			steptest.Run(t, func(t *steptest.T) {
				p := t.Pool()
				var mu tasksync.Mutex
				began, n := t.Now(), 0
				for range 3 {
					p.Go(func() {
						mu.Lock()
						defer mu.Unlock()
						_ = lockstep.Sleep(t.Context(), time.Duration(i+1)*time.Second)
						n++
					})
				}
				require.NoError(t, p.Close())
				require.Equal(t, 3, n)
				require.Equal(t, 3*(i+1), since(t, began))
			}, steptest.Schedules(300), steptest.EarlyTimers(false))
		})
	}
}

// The body's T has what assertion libraries and helpers ask for.
func TestTIsATB(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		var tb testing.TB = t
		tb.Helper()
		require.Equal(t, "TestTIsATB", tb.Name())
		require.False(t, tb.Failed() || tb.Skipped())
		require.DirExists(t, tb.TempDir())
		_, err := fmt.Fprintln(tb.Output(), "a line")
		require.NoError(t, err)
		require.NoError(t, tb.Context().Err())
	}, steptest.Schedules(3))
}
