package steptest_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
)

// blocking are bodies that leave the control of the test, and what is said of each.
var blocking = map[string]struct {
	body func(t *steptest.T)
	says []string
}{
	"a channel": {
		func(*steptest.T) { c := make(chan int); lockstep.Go(func() { c <- 1 }); lockstep.Yield(); <-c },
		[]string{"steptest: no step for 200ms", "it blocks on a native channel", "Use chans.Chan", "watchdog_test.go:"},
	},
	"a select": {func(*steptest.T) { select {} }, []string{"it blocks in a native select"}},
	"a mutex": {func(t *steptest.T) {
		var mu sync.Mutex
		lockstep.Go(func() { mu.Lock(); t.Point("holds it"); mu.Unlock() })
		mu.Lock()
		t.Point("too")
		mu.Unlock()
	}, []string{"it blocks on a native lock", "Use tasksync.Mutex"}},
	"a WaitGroup": {func(*steptest.T) {
		var wg sync.WaitGroup
		wg.Add(1)
		lockstep.Go(wg.Done)
		wg.Wait()
	}, []string{"it blocks in sync.WaitGroup.Wait", "Use tasksync.WaitGroup"}},
	"a Cond": {func(*steptest.T) {
		c := sync.NewCond(&sync.Mutex{})
		c.L.Lock()
		c.Wait()
	}, []string{"it blocks in sync.Cond.Wait"}},
	"a loop": {func(*steptest.T) {
		for n := 0; ; n++ { //nolint:staticcheck // it is to loop
		}
	}, []string{"steptest: no step for 1s", "it computes without coming to a point", "watchdog_test.go:"}},
}

// TestNativeBlocking fails in a child process, and leaves the other tests there usable.
func TestNativeBlocking(t *testing.T) {
	if inChild("^TestNativeBlocking$") {
		for name, b := range blocking {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				steptest.Run(t, b.body, steptest.NoCorpus(), steptest.StuckAfter(200*time.Millisecond))
			})
		}
		t.Run("the next one", func(t *testing.T) {
			steptest.Run(t, func(t *steptest.T) { lockstep.Go(func() {}); lockstep.Yield() }, steptest.Schedules(5), steptest.NoCorpus())
		})
		return
	}
	t.Parallel()
	code, out := child(t, "^TestNativeBlocking$", t.TempDir(), "-test.v")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "--- PASS: TestNativeBlocking/the_next_one")
	for name, b := range blocking {
		require.Contains(t, out, ": a task has left the control of the test", name)
		for _, text := range b.says {
			require.Contains(t, out, text, name)
		}
	}
}

// What blocks for long but not for ever fails its test too. When that is over, so is the search.
func TestSleepsTooLong(t *testing.T) {
	r := outcome("TestX", func(*steptest.T) { sleep(300 * time.Millisecond) }, steptest.StuckAfter(20*time.Millisecond))
	require.Contains(t, r.text, "it sleeps in real time. Use lockstep.Sleep")
	require.Contains(t, r.text, "watchdog_test.go:")
}

var sleep = time.Sleep // which a task must not call, and that is what is tested
