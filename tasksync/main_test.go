package tasksync_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lockstep-go/lockstep"
)

func TestMain(m *testing.M) {
	// Importing ants starts these two before main.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

var bg = context.Background()

// floating says that the tests run on floating workers: LOCKSTEP_TEST_FLOATING=1 go test ./tasksync
var floating = os.Getenv("LOCKSTEP_TEST_FLOATING") != ""

// workers makes a pool of n workers that is closed when the test ends.
func workers(t testing.TB, n int, opts ...lockstep.Option) *lockstep.Pool {
	t.Helper()
	return mixed(t, n, !floating, opts...)
}

func mixed(t testing.TB, n int, locked bool, opts ...lockstep.Option) *lockstep.Pool {
	t.Helper()
	p, err := lockstep.New(append(opts, lockstep.WithWorkers(n), lockstep.WithLockOSThread(locked))...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// mixes runs f with a pool of 1, 2 and 4 workers, locked and floating.
func mixes(t *testing.T, f func(t *testing.T, p *lockstep.Pool)) {
	for _, n := range []int{1, 2, 4} {
		for _, locked := range []bool{true, false} {
			t.Run(fmt.Sprintf("workers=%d,locked=%v", n, locked), func(t *testing.T) {
				f(t, mixed(t, n, locked))
			})
		}
	}
}

// stress is mixes for a test that goes on for as long as the variable says: LOCKSTEP_STRESS=10m go test -run Stress ./tasksync
func stress(t *testing.T, f func(t *testing.T, p *lockstep.Pool)) {
	long, _ := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS")) // 0, so once, if it is not set
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		for begin := time.Now(); ; {
			f(t, p)
			if t.Failed() || time.Since(begin) >= long/6 {
				return
			}
		}
	})
}

// inTask calls f as a task of p.
func inTask(p *lockstep.Pool, f func()) {
	_ = p.Run(bg, func(context.Context) error { f(); return nil })
}

// until waits for something that has no event. A hang is ended by the test's time limit.
func until(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}
