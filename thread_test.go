package lockstep_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// onThread returns the identity of the calling thread.
func onThread(t *testing.T) int {
	id := gettid()
	if id == 0 {
		t.Skip("threads cannot be told apart here")
	}
	return id
}

func TestThreadInitAndCleanupRunOnTheWorkersThread(t *testing.T) {
	onThread(t)
	type life struct{ begin, end int }
	var mu sync.Mutex
	lives := map[int]life{}
	p := workers(t, 4, lockstep.WithThreadInit(func(worker int) func() {
		mu.Lock()
		defer mu.Unlock()
		lives[worker] = life{begin: gettid()}
		return func() {
			mu.Lock()
			defer mu.Unlock()
			lives[worker] = life{lives[worker].begin, gettid()}
		}
	}))
	for range 100 {
		inTask(p, func(context.Context) {
			id := gettid()
			mu.Lock()
			defer mu.Unlock()
			for _, l := range lives {
				if l.begin == id {
					return
				}
			}
			t.Error("a task ran on a thread that was not prepared")
		})
	}
	require.NoError(t, p.Close())
	require.Len(t, lives, 4)
	threads := map[int]bool{}
	for worker, l := range lives {
		require.Less(t, worker, 4)
		require.NotZero(t, l.begin)
		require.Equal(t, l.begin, l.end)
		threads[l.begin] = true
	}
	require.Len(t, threads, 4, "a thread for each worker")
}

func TestThreadInitThatReturnsNothing(t *testing.T) {
	var calls atomic.Int32
	p := workers(t, 2, lockstep.WithThreadInit(func(int) func() { calls.Inc(); return nil }))
	require.NoError(t, p.Close())
	require.Equal(t, int32(2), calls.Load())
}

// A started task stays on its thread, whatever it waits for and whoever wakes it.
func TestD04StartedTasksKeepTheirThread(t *testing.T) {
	if floating {
		t.Skip("floating workers have no threads of their own")
	}
	onThread(t)
	p := workers(t, 4, lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
	var wrong atomic.Int32
	g, _ := lockstep.NewGroup(p.Context(bg))
	for i := range 500 {
		g.Go(func() error {
			id := gettid()
			for j := range 20 {
				switch (i + j) % 5 {
				case 0:
					lockstep.Yield()
				case 1:
					_ = lockstep.Sleep(bg, 1000)
				case 2:
					lockstep.BlockInPlace(nothing, move)
				case 3:
					_ = lockstep.Run(p.Context(bg), func(context.Context) error { return nil })
				case 4:
					p.Go(panicsWithAString)
					_, _ = lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { exit(); return 0, nil }).Wait(bg)
				}
				if gettid() != id {
					wrong.Inc()
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.Zero(t, wrong.Load())
}

func TestMovedSectionRunsElsewhere(t *testing.T) {
	if floating {
		t.Skip("floating workers have no threads of their own")
	}
	onThread(t)
	p := workers(t, 1)
	inTask(p, func(context.Context) {
		id := gettid()
		lockstep.BlockInPlace(func() { require.NotEqual(t, id, gettid()) }, move)
		lockstep.BlockInPlace(func() { require.Equal(t, id, gettid()) }, stay)
	})
}

// Floating workers do everything that locked ones do, except that nothing is said about threads.
func TestFloatingWorkersRunEverything(t *testing.T) {
	p := workers(t, 2, lockstep.WithLockOSThread(false))
	var ran atomic.Int32
	g, _ := lockstep.NewGroup(p.Context(bg))
	for range 200 {
		g.Go(func() error {
			for range 10 {
				lockstep.Yield()
				_ = lockstep.Sleep(bg, 1000)
				lockstep.BlockInPlace(runtime.Gosched, move)
				_, _ = lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { ran.Inc(); exit(); return 0, nil }).Wait(bg)
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.Equal(t, int32(2000), ran.Load())
}

func TestSetSharesWhileRunning(t *testing.T) {
	p := workers(t, 2, lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b"))
	var stop atomic.Bool
	for _, q := range []*lockstep.TaskQueue{p.TaskQueue("a"), p.TaskQueue("b")} {
		for range 10 {
			q.Go(func() {
				for !stop.Load() {
					lockstep.Yield()
				}
			})
		}
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			q := p.TaskQueue([]string{"a", "b"}[i%2])
			for n := range 2000 {
				shares := []int{1, lockstep.MaxShares, 100}[n%3]
				if err := q.SetShares(shares); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, name := range []string{"a", "b"} {
		require.NoError(t, p.TaskQueue(name).SetShares(77))
		require.Equal(t, 77, p.TaskQueue(name).Stats().Shares)
	}
	before := p.Stats().Queues
	until(func() bool { // both go on
		now := p.Stats().Queues
		return now[1].YieldsVoluntary > before[1].YieldsVoluntary+100 && now[2].YieldsVoluntary > before[2].YieldsVoluntary+100
	})
	stop.Store(true)
}
