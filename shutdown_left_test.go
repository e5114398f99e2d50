package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestD10ShutdownNamesTheTasksLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 3, lockstep.WithTaskQueue("bulk"))
		gate := make(chan struct{})
		began := make(chan struct{})
		p.Go(func() { lockstep.Yield(); began <- struct{}{}; <-gate })
		<-began
		p.TaskQueue("bulk").Go(func() { began <- struct{}{}; <-gate })
		<-began
		p.Go(func() {
			began <- struct{}{}
			lockstep.BlockInPlace(func() { <-gate }, lockstep.WithBlockInPlace(true))
		})
		<-began
		from := time.Now()
		why := errors.New("the operator is impatient")
		ctx, cancel := context.WithTimeoutCause(bg, 100*time.Millisecond, why)
		defer cancel()
		err := p.Shutdown(ctx)
		require.Error(t, err)
		require.GreaterOrEqual(t, time.Since(from), 100*time.Millisecond)
		require.ErrorIs(t, err, why)
		require.ErrorContains(t, err, "lockstep: Shutdown gave up with 3 tasks left")
		for _, part := range []string{`queue "bulk", running`, `queue "default", running`, "in a section on the overflow pool"} {
			require.ErrorContains(t, err, part)
		}
		require.Equal(t, 3, strings.Count(err.Error(), "shutdown_left_test.go:"), err)

		require.Equal(t, lockstep.ErrClosed, p.Submit(bg, nothing))
		require.Error(t, p.Shutdown(ctx), "they are still there")
		close(gate)
		require.NoError(t, p.Shutdown(bg))
		require.NoError(t, p.Close())
	})
}

func TestShutdownErrorCountsWhatItDoesNotName(t *testing.T) {
	p := still(t, 30)
	release := hold(p, 30)
	for range 5 {
		p.Go(nothing)
	}
	err := p.Shutdown(endedContext())
	require.ErrorContains(t, err, "gave up with 30 tasks left")
	require.ErrorContains(t, err, "... and 10 more")
	require.ErrorContains(t, err, "and 5 tasks that are ready and will not be started")
	release()
	require.NoError(t, p.Close())
}

func TestCloseAndShutdownAtTheSameTime(t *testing.T) {
	p := workers(t, 2)
	release := hold(p, 1)
	var wg, forced sync.WaitGroup
	for i := range 8 {
		if i%2 == 0 {
			wg.Go(func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
		} else {
			forced.Go(func() {
				if p.Shutdown(endedContext()) == nil {
					t.Error("a blocked task was not reported")
				}
			})
		}
	}
	forced.Wait()
	release()
	wg.Wait()
	force(t, p)
}

func TestDeferredCallsOfAKilledTaskMayWaitForASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 1)
		var log []string
		from := time.Now()
		note := func(what string) { log = append(log, fmt.Sprint(what, " ", time.Since(from))) }
		began := make(chan struct{})
		p.Go(func() {
			close(began)
			defer note("outermost")
			defer func() {
				defer note("ended again")
				err := lockstep.Sleep(bg, time.Hour)
				note(fmt.Sprint("cut short: ", err == lockstep.ErrShutdown))
				_ = lockstep.Sleep(bg, time.Hour)
				note("not reached")
			}()
			defer func() {
				_ = lockstep.Sleep(bg, 300*time.Millisecond)
				child := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { return 1, nil })
				_, err := child.Wait(bg)
				note(fmt.Sprint("tidied up, ", err == lockstep.ErrShutdown))
			}()
			for {
				lockstep.Yield()
			}
		})
		<-began
		_ = p.Shutdown(endedContext())
		require.NoError(t, p.Close())
		require.Equal(t, []string{
			"tidied up, true 300ms", "cut short: true 1s", "ended again 1s", "outermost 1s",
		}, log)
	})
}

func TestD15SuspendedTasksRunTheirDefersOnce(t *testing.T) {
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithLockOSThread(false)}} {
		p := workers(t, 1, opts...)
		var defers atomic.Int32
		var began sync.WaitGroup
		var nest func(depth int, bottom func())
		nest = func(depth int, bottom func()) {
			defer defers.Inc()
			if depth == 0 {
				bottom()
			} else {
				nest(depth-1, bottom)
			}
		}
		bottoms := []func(){
			func() {
				for {
					lockstep.Yield()
				}
			},
			func() { _ = lockstep.Sleep(bg, time.Hour); lockstep.Yield() },
			func() {
				defer lockstep.Yield()
				for {
					_ = lockstep.Sleep(bg, time.Hour)
				}
			},
			func() {
				defer func() { _ = recover() }()
				defer panic("in a deferred call")
				for {
					lockstep.Yield()
				}
			},
			func() {
				defer exit()
				for {
					lockstep.Yield()
				}
			},
		}
		var tasks []*lockstep.Task[int]
		for _, b := range bottoms {
			began.Add(1)
			tasks = append(tasks, lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
				began.Done()
				nest(2, b)
				return 1, nil
			}))
		}
		began.Wait()
		force(t, p)
		require.Equal(t, int32(3*len(bottoms)), defers.Load())
		for _, task := range tasks {
			_, err := task.Wait(bg)
			require.Equal(t, lockstep.ErrShutdown, err)
		}
	}
}

// A thousand tasks in every state at a forced shutdown.
func TestShutdownInTheMiddleOfAnything(t *testing.T) {
	for round := range 40 {
		p := workers(t, 1+round%3, lockstep.WithOverflow(2), lockstep.WithLockOSThread(round%4 != 3))
		ctx, cancel := context.WithCancel(p.Context(bg))
		var live atomic.Int64
		var tree func(ctx context.Context, depth int) error
		tree = func(ctx context.Context, depth int) error {
			live.Inc()
			defer live.Dec()
			g, ctx := lockstep.NewGroup(ctx)
			g.SetLimit(2)
			for i := range 4 {
				switch (depth + i) % 4 {
				case 0:
					lockstep.Yield()
				case 1:
					_ = lockstep.Sleep(ctx, time.Duration(i)*time.Microsecond)
				case 2:
					lockstep.BlockInPlace(nothing, lockstep.WithBlockInPlace(i%2 == 0))
				}
				if depth > 0 {
					g.Go(func() error { return tree(ctx, depth-1) })
				}
			}
			return g.Wait()
		}
		task := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, tree(ctx, 5) })
		until(func() bool { return p.Stats().Queues[0].Started > uint64(round*20) })
		force(t, p)
		_, _ = task.Wait(bg)
		require.Zero(t, live.Load(), "defers run, and nothing goes on after Shutdown")
		cancel()
	}
}
