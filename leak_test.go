package lockstep_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// threads is the number of threads of the process, 0 where it is not known.
func threads() (n int) {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.SplitSeq(string(status), "\n") {
		if _, err := fmt.Sscanf(line, "Threads: %d", &n); err == nil {
			break
		}
	}
	return n
}

// settled waits until no more goroutines are left than there were. One that has told a
// WaitGroup that it is done takes a moment to be gone.
func settled(before int) {
	until(func() bool { return runtime.NumGoroutine() <= before })
}

// aLife makes a pool, uses it in every way and closes it.
func aLife(t *testing.T, i int) {
	opts := []lockstep.Option{
		lockstep.WithWorkers(1 + i%4), lockstep.WithOverflow(2), lockstep.WithTaskQueue("q"),
		lockstep.WithPanicHandler(func(*lockstep.PanicError) {}), lockstep.WithLockOSThread(i%3 != 0),
	}
	if i%5 == 0 {
		opts = append(opts, lockstep.WithCapacity(3))
	}
	if i%3 != 0 && i%7 == 0 {
		opts = append(opts, lockstep.WithThreadInit(func(int) func() { return nothing }))
	}
	p, err := lockstep.New(opts...)
	require.NoError(t, err)
	ctx := p.TaskQueue("q").Context(bg)
	for j := range 10 {
		p.Go(func() { lockstep.BlockInPlace(nothing, lockstep.WithBlockInPlace(i%10 == 0)) })
		lockstep.Spawn(ctx, func(ctx context.Context) (int, error) {
			_ = lockstep.Sleep(ctx, time.Duration(j)*time.Microsecond)
			derived, cancel := context.WithCancel(ctx)
			context.AfterFunc(derived, nothing)
			context.AfterFunc(ctx, cancel)
			return 0, nil
		})
		p.Go([]func(){exit, lockstep.Yield, panicsWithAString}[j%3])
	}
	if i%4 != 0 {
		require.NoError(t, p.Close())
		return
	}
	p.Go(func() { _ = lockstep.Sleep(bg, time.Hour) })
	p.Go(func() {
		for {
			lockstep.Yield()
		}
	})
	_ = p.Shutdown(endedContext())
	require.NoError(t, p.Close())
}

func TestD14ThousandPoolsLeaveNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	var heap uint64
	var had int
	for i := 1; i <= 1000; i++ {
		aLife(t, i)
		switch i {
		case 100:
			settled(before)
			heap, had = heapBytes(), threads()
		case 1000:
			settled(before)
			require.Less(t, heapBytes(), heap+200<<10, "bytes gained from pool 100 to pool 1,000")
			// The runtime keeps threads for later; how many depends on how many ever blocked at once.
			require.LessOrEqual(t, threads(), had+32, "threads gained")
		}
	}
}

// The last task ends in the same moment as Close begins.
func TestD14CloseMeetsTheLastTask(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 1000 {
		p, err := lockstep.New(lockstep.WithWorkers(1 + i%2))
		require.NoError(t, err)
		begin := make(chan struct{})
		p.Go(func() {
			<-begin
			for range i % 50 {
				lockstep.Yield()
			}
		})
		close(begin)
		require.NoError(t, p.Close())
	}
	settled(before)
}

// A task keeps its stack only while it has one: coroutines of a burst are given back.
func TestBurstOfWaitingTasksGivesItsStacksBack(t *testing.T) {
	p := workers(t, 2)
	inTask(p, func(context.Context) {})
	before := runtime.NumGoroutine()
	gate := make(chan struct{})
	first := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
		lockstep.BlockInPlace(func() { <-gate }, move)
		return 1, nil
	})
	const n = 5000
	var tasks []*lockstep.Task[int]
	for range n {
		tasks = append(tasks, lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) { return first.Wait(ctx) }))
	}
	until(func() bool { return runtime.NumGoroutine() > before+n-100 })
	close(gate)
	for _, task := range tasks {
		v, err := task.Wait(bg)
		require.NoError(t, err)
		require.Equal(t, 1, v)
	}
	until(func() bool { return runtime.NumGoroutine() <= before+2*300+10 }) // 256 are kept a worker
}
