package lockstep_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// Each panic is with its Wait, and the one worker is still the one after them.
func TestD04PanicsDoNotEatTheWorker(t *testing.T) {
	var got panics
	p := still(t, 1, got.handler())
	ran := atomic.NewInt32(0)
	var tasks []*lockstep.Task[int]
	for i := range 100 {
		tasks = append(tasks, lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
			ran.Inc()
			if i%2 == 0 {
				lockstep.Yield()
			}
			panic(i)
		}))
	}
	for i, task := range tasks {
		_, err := task.Wait(bg)
		var e *lockstep.PanicError
		require.ErrorAs(t, err, &e)
		require.Equal(t, i, e.Value)
		require.Contains(t, string(e.Stack), "TestD04PanicsDoNotEatTheWorker")
	}
	require.Equal(t, int32(100), ran.Load())
	require.Len(t, p.Stats().Workers, 1)
}

// A hundred panics later the worker is the same thread. Nothing of that waits for a clock: there are no helpers, and
// the threshold is an hour.
func TestD04WorkerKeepsItsThread(t *testing.T) {
	if floating {
		t.Skip("floating workers have no threads of their own")
	}
	onThread(t)
	var got panics
	p := still(t, 1, got.handler(), lockstep.WithStallThreshold(time.Hour))
	thread := func() (id int) {
		inTask(p, func(context.Context) { id = gettid() })
		return id
	}
	before := thread()
	for i := range 100 {
		p.Go(func() {
			if i%2 == 0 {
				lockstep.Yield()
			}
			panic(i)
		})
	}
	require.Equal(t, before, thread())
	require.NoError(t, p.Close())
	require.Len(t, got.all, 100)
}

// A panic of a section that nobody recovers is the task's, and takes no place of the overflow pool with it.
func TestD05PanicOfASectionReachesWait(t *testing.T) {
	for _, o := range []lockstep.BlockOption{move, stay} {
		var got panics
		p := still(t, 1, lockstep.WithOverflow(1), got.handler())
		for i := range 20 {
			_, err := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
				lockstep.BlockInPlace(func() { panic(i) }, o)
				return 0, nil
			}).Wait(bg)
			var e *lockstep.PanicError
			require.ErrorAs(t, err, &e)
			require.Equal(t, i, e.Value)
			require.Contains(t, string(e.Stack), "TestD05PanicOfASectionReachesWait")
		}
		meetInSections(t, p, 1)
	}
}

// meetInSections makes n moved sections of p wait natively until all of them have begun: there are places for them.
func meetInSections(t *testing.T, p *lockstep.Pool, n int) {
	t.Helper()
	var met, ended sync.WaitGroup
	met.Add(n)
	ended.Add(n)
	for range n {
		p.Go(func() {
			lockstep.BlockInPlace(func() { met.Done(); met.Wait() }, move)
			ended.Done()
		})
	}
	ended.Wait()
}

func init() {
	children["done, then exit"] = func() {
		p, _ := lockstep.New(lockstep.WithWorkers(2))
		var wg sync.WaitGroup
		wg.Add(1)
		p.Go(func() { defer wg.Done(); crashesTheProcess("x") })
		wg.Wait()
		<-time.After(10 * time.Second) // then it would end as if all was well
	}
}

// Whoever is let go on by a deferred call of the task that panics does not get to the end of the program.
func TestD06CrashWinsOverADeferredDone(t *testing.T) {
	for range rounds(5, 200) {
		code, _, stderr := child(t, "done, then exit")
		require.Equal(t, 2, code)
		require.Contains(t, stderr, "panic: x\n")
	}
}
