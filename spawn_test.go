package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestEveryTaskRunsOnce(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		for _, locked := range []bool{true, false} {
			t.Run(fmt.Sprint(n, " workers, locked ", locked), func(t *testing.T) {
				p := workers(t, n, lockstep.WithLockOSThread(locked))
				const outer, inner = 2000, 5
				ran := make([]atomic.Int32, outer*(1+inner))
				var wg sync.WaitGroup
				wg.Add(len(ran))
				mark := func(i int) { ran[i].Inc(); wg.Done() }
				for i := range outer {
					p.Go(func() {
						mark(i)
						for j := range inner {
							p.Go(func() { mark(outer + i*inner + j) })
						}
					})
				}
				wg.Wait()
				for i := range ran {
					require.Equal(t, int32(1), ran[i].Load(), i)
				}
			})
		}
	}
}

func TestOneWorkerKeepsOrder(t *testing.T) {
	p := still(t, 1)
	var got []int
	release := hold(p, 1)
	for i := range 1000 {
		p.Go(func() { got = append(got, i) })
	}
	release()
	inTask(p, func(context.Context) {
		for i := range 1000 {
			p.Go(func() { got = append(got, 1000+i) })
		}
	})
	inTask(p, func(context.Context) {
		require.Len(t, got, 2000)
		for i, v := range got {
			require.Equal(t, i, v)
		}
	})
}

func TestSpawnReturnsValueAndError(t *testing.T) {
	p := workers(t, 2)
	ctx := p.Context(bg)
	wrong := errors.New("wrong")
	task := lockstep.Spawn(ctx, func(context.Context) (string, error) { return "half", wrong })
	for range 3 { // any number of times
		v, err := task.Wait(bg)
		require.Equal(t, "half", v)
		require.Same(t, wrong, err)
	}
}

func TestManyWaitForOneTask(t *testing.T) {
	p := workers(t, 2)
	ctx := p.Context(bg)
	gate := make(chan struct{})
	x := 0
	task := lockstep.Spawn(ctx, func(context.Context) (*int, error) { <-gate; x = 42; return &x, nil })
	var waits []*lockstep.Task[int]
	for range 50 {
		waits = append(waits, lockstep.Spawn(ctx, func(ctx context.Context) (int, error) {
			v, err := task.Wait(ctx)
			return *v, err
		}))
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			v, err := task.Wait(bg)
			if err != nil || *v != 42 {
				t.Error(v, err)
			}
		})
	}
	close(gate)
	wg.Wait()
	for _, w := range waits {
		v, err := w.Wait(bg)
		require.NoError(t, err)
		require.Equal(t, 42, v)
	}
}

func TestWaitEndsWithItsContextAndTheTaskGoesOn(t *testing.T) {
	p := workers(t, 2)
	ctx := p.Context(bg)
	gate := make(chan struct{})
	task := lockstep.Spawn(ctx, func(context.Context) (int, error) { <-gate; return 7, nil })
	why := errors.New("no patience")
	short, cancel := context.WithCancelCause(bg)
	inside := lockstep.Spawn(ctx, func(context.Context) (int, error) { return task.Wait(short) })
	cancel(why)
	_, err := task.Wait(short)
	require.Same(t, why, err)
	_, err = inside.Wait(bg)
	require.Same(t, why, err)
	close(gate)
	v, err := task.Wait(bg)
	require.NoError(t, err)
	require.Equal(t, 7, v)
}

func TestTaskThatWaitsForItselfPanics(t *testing.T) {
	p := workers(t, 1)
	var self *lockstep.Task[any]
	ready := make(chan struct{})
	self = lockstep.Spawn(p.Context(bg), func(ctx context.Context) (any, error) {
		<-ready
		return panicOf(func() { _, _ = self.Wait(ctx) }), nil
	})
	close(ready)
	v, err := self.Wait(bg)
	require.NoError(t, err)
	require.Equal(t, "lockstep: a task waits for itself", v)
}

func TestD12CancelledBeforeItRan(t *testing.T) {
	p := still(t, 1)
	release := hold(p, 1)
	why := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(p.Context(bg))
	var ran atomic.Int32
	var tasks []*lockstep.Task[int]
	for i := range 100 {
		task := lockstep.Spawn(ctx, func(context.Context) (int, error) { ran.Inc(); return 1, nil })
		if i%2 == 1 {
			task.Cancel(fmt.Errorf("task %d: %w", i, why))
		}
		tasks = append(tasks, task)
	}
	cancel(why)
	release()
	for i, task := range tasks {
		_, err := task.Wait(bg)
		require.ErrorIs(t, err, why)
		if i%2 == 1 {
			require.ErrorContains(t, err, fmt.Sprint("task ", i), "the nearest cause wins")
		}
	}
	require.Zero(t, ran.Load())
	require.NoError(t, p.Close())
	require.Equal(t, uint64(101), p.Stats().Queues[0].Finished)
}

func TestCancelOfARunningTaskEndsItsContext(t *testing.T) {
	p := workers(t, 1)
	for _, cause := range []error{nil, errors.New("enough")} {
		began := make(chan struct{})
		task := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (error, error) {
			close(began)
			<-ctx.Done()
			return context.Cause(ctx), ctx.Err()
		})
		<-began
		task.Cancel(cause)
		got, err := task.Wait(bg)
		require.Equal(t, context.Canceled, err)
		if cause == nil {
			cause = context.Canceled
		}
		require.Equal(t, cause, got)
		task.Cancel(nil) // after the end it does nothing
	}
}

func TestTaskGoesToTheNearestQueue(t *testing.T) {
	p := workers(t, 1, lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b"))
	useDefault(t, p)
	a, b := p.TaskQueue("a"), p.TaskQueue("b")
	started := func() string {
		s := p.Stats().Queues
		return fmt.Sprint(s[0].Started, s[1].Started, s[2].Started)
	}
	nothing := func(context.Context) (int, error) { return 0, nil }
	spawn := func(ctx context.Context) { _, _ = lockstep.Spawn(ctx, nothing).Wait(bg) }
	spawn(bg)
	require.Equal(t, "1 0 0", started(), "outside: the default pool's default queue")
	spawn(b.Context(bg))
	require.Equal(t, "1 0 1", started(), "the context's queue")
	spawn(p.Context(b.Context(bg)))
	require.Equal(t, "2 0 1", started(), "the innermost context's queue")
	_ = a.Run(bg, func(ctx context.Context) error {
		spawn(bg)
		require.Equal(t, "2 2 1", started(), "the calling task's queue")
		spawn(b.Context(ctx))
		require.Equal(t, "2 2 2", started())
		_ = b.Run(ctx, func(ctx context.Context) error { spawn(ctx); return nil })
		require.Equal(t, "2 2 4", started())
		lockstep.Go(func() {})
		_ = lockstep.Run(bg, func(context.Context) error { return nil })
		var g lockstep.Group
		g.Go(func() error { return nil })
		return g.Wait()
	})
	require.Equal(t, "2 4 4", started(), "Go and the zero Group; Run in the task's own queue is a call")
	g, _ := lockstep.NewGroup(b.Context(bg))
	g.Go(func() error { return nil })
	require.NoError(t, g.Wait())
	require.Equal(t, "2 4 5", started(), "the context of NewGroup")
	lockstep.Go(func() {})
	require.NoError(t, p.Close())
	require.Equal(t, "3 4 5", started())
}

func TestWaitInATaskFreesItsWorker(t *testing.T) {
	p := workers(t, 1)
	var depth func(ctx context.Context, n int) (int, error)
	depth = func(ctx context.Context, n int) (int, error) {
		if n == 0 {
			return 0, nil
		}
		v, err := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) { return depth(ctx, n-1) }).Wait(ctx)
		return v + 1, err
	}
	v, err := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) { return depth(ctx, 5000) }).Wait(bg)
	require.NoError(t, err)
	require.Equal(t, 5000, v)
}
