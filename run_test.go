package lockstep_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func exit() { runtime.Goexit() }

func TestRunReturnsWhatTheFunctionReturns(t *testing.T) {
	p := still(t, 2)
	wrong := errors.New("wrong")
	require.NoError(t, p.Run(bg, func(context.Context) error { return nil }))
	require.Same(t, wrong, p.Run(bg, func(context.Context) error { return wrong }))
	require.Same(t, wrong, lockstep.Run(p.Context(bg), func(context.Context) error { lockstep.Yield(); return wrong }))
	// An error that says why another task had no result is an error like any other.
	for _, err := range []error{lockstep.ErrGoexit, lockstep.ErrShutdown, lockstep.ErrClosed} {
		returned := false
		outside(func() {
			if p.Run(bg, func(context.Context) error { return err }) == err {
				returned = true
			}
		})
		require.True(t, returned, err)
		ctx, cancel := context.WithCancelCause(bg)
		release := hold(p, 2)
		returned = false
		outside(func() {
			cancel(err)
			returned = p.Run(ctx, func(context.Context) error { return nil }) == err
		})
		require.True(t, returned, err)
		release()
	}
}

func TestRunPanicsInItsCaller(t *testing.T) {
	handled := atomic.NewInt32(0)
	p := workers(t, 1, lockstep.WithPanicHandler(func(*lockstep.PanicError) { handled.Inc() }), lockstep.WithTaskQueue("other"))
	other := p.TaskQueue("other")
	type custom struct{ list []int } // not comparable
	for _, v := range []any{"x", http.ErrAbortHandler, custom{[]int{1}}, 42} {
		f := func(context.Context) error { lockstep.Yield(); panic(v) }
		require.Equal(t, v, panicOf(func() { _ = p.Run(bg, f) }))
		inTask(p, func(ctx context.Context) {
			require.Equal(t, v, panicOf(func() { _ = p.Run(ctx, f) }), "same queue")
			require.Equal(t, v, panicOf(func() { _ = other.Run(ctx, f) }), "other queue")
		})
	}
	var none *runtime.PanicNilError
	require.ErrorAs(t, panicOf(func() { _ = p.Run(bg, func(context.Context) error { panic(nil) }) }).(error), &none)
	var e runtime.Error
	require.ErrorAs(t, panicOf(func() {
		_ = p.Run(bg, func(context.Context) error { panicsInTheRuntime(); return nil })
	}).(error), &e)
	require.Zero(t, handled.Load(), "the caller has them")
	require.NoError(t, p.Run(bg, func(context.Context) error { return nil }), "the worker has survived")
}

func TestRunPassesGoexitOn(t *testing.T) {
	p := workers(t, 1, lockstep.WithTaskQueue("other"))
	for _, yields := range []int{0, 2} {
		f := func(context.Context) error {
			for range yields {
				lockstep.Yield()
			}
			exit()
			return nil
		}
		deferred, after := false, false
		outside(func() {
			defer func() { deferred = true }()
			_ = p.Run(bg, f)
			after = true
		})
		require.True(t, deferred)
		require.False(t, after)
		_, err := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
			_ = p.TaskQueue("other").Run(ctx, f)
			after = true
			return 1, nil
		}).Wait(bg)
		require.Equal(t, lockstep.ErrGoexit, err)
		require.False(t, after)
	}
}

func TestRunNestsOnOneWorker(t *testing.T) {
	p := workers(t, 1, lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b"))
	queues := []*lockstep.TaskQueue{p.TaskQueue("a"), p.TaskQueue("b")}
	var nest func(ctx context.Context, n int) error
	nest = func(ctx context.Context, n int) error {
		if n == 0 {
			return errors.New("bottom")
		}
		return queues[n%2].Run(ctx, func(ctx context.Context) error { return nest(ctx, n-1) })
	}
	require.EqualError(t, nest(bg, 1000), "bottom")
}

func TestRunAcrossPools(t *testing.T) {
	a, b := workers(t, 1), workers(t, 1)
	var nest func(ctx context.Context, n int) error
	nest = func(ctx context.Context, n int) error {
		if n == 0 {
			panic("bottom")
		}
		return []*lockstep.Pool{a, b}[n%2].Run(ctx, func(ctx context.Context) error { return nest(ctx, n-1) })
	}
	for range 20 {
		require.Equal(t, "bottom", panicOf(func() { _ = nest(bg, 50) }))
	}
}

// A task of one pool closes another: only its own would be misuse.
func TestTaskClosesAnotherPool(t *testing.T) {
	a, b := workers(t, 1), workers(t, 1)
	inTask(a, func(context.Context) {
		b.Go(func() { lockstep.Yield() })
		require.NoError(t, b.Close())
	})
}

func TestRunInTheTasksOwnQueueCarriesThatQueue(t *testing.T) {
	p := workers(t, 1, lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b"))
	a, b := p.TaskQueue("a"), p.TaskQueue("b")
	spawn := func(ctx context.Context) error {
		_, err := lockstep.Spawn(ctx, func(context.Context) (int, error) { return 0, nil }).Wait(ctx)
		return err
	}
	require.NoError(t, a.Run(b.Context(bg), spawn))
	require.Equal(t, uint64(2), a.Stats().Started)
	// The same call from a task of a calls the function directly; that must not show.
	require.NoError(t, a.Run(bg, func(ctx context.Context) error { return a.Run(b.Context(ctx), spawn) }))
	require.Equal(t, uint64(4), a.Stats().Started)
	require.Zero(t, b.Stats().Started)
}

func TestContextEndsBeforeRun(t *testing.T) {
	p := workers(t, 1, lockstep.WithTaskQueue("other"))
	why := errors.New("too late")
	ctx, cancel := context.WithCancelCause(bg)
	cancel(why)
	f := func(context.Context) error { t.Error("called"); return nil }
	require.Same(t, why, p.Run(ctx, f))
	inTask(p, func(context.Context) {
		require.Same(t, why, p.Run(ctx, f))
		require.Same(t, why, p.TaskQueue("other").Run(ctx, f))
	})
}

func TestContextEndsWhileRunIsQueued(t *testing.T) {
	p := still(t, 1, lockstep.WithTaskQueue("other"))
	why := errors.New("too late")
	f := func(context.Context) error { t.Error("called"); return nil }
	ctx, cancel := context.WithCancelCause(bg)
	release := hold(p, 1)
	var errs [20]error
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = p.Run(ctx, f) })
	}
	cancel(why)
	wg.Wait() // although the worker is held
	for _, err := range errs {
		require.Same(t, why, err)
	}
	release()

	ctx, cancel = context.WithCancelCause(bg)
	inTask(p, func(context.Context) {
		lockstep.Go(func() { cancel(why) })
		err := p.TaskQueue("other").Run(ctx, func(ctx context.Context) error {
			for ctx.Err() == nil { // mostly it is not called at all
				lockstep.Yield()
			}
			return context.Cause(ctx)
		})
		require.Same(t, why, err)
	})
}

func TestContextEndsWhileRunRuns(t *testing.T) {
	p := workers(t, 2, lockstep.WithTaskQueue("other"))
	why := errors.New("stop")
	for _, inside := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(bg)
		finished := false
		call := func() error {
			return p.TaskQueue("other").Run(ctx, func(ctx context.Context) error {
				cancel(why)
				<-ctx.Done()
				for range 1000 {
					lockstep.Yield()
				}
				finished = true // unsynchronized: Run must wait for it
				return errors.New("done all the same")
			})
		}
		if inside {
			inTask(p, func(context.Context) { require.EqualError(t, call(), "done all the same") })
		} else {
			require.EqualError(t, call(), "done all the same")
		}
		require.True(t, finished)
	}
}

func TestRunOnAClosedPool(t *testing.T) {
	p := workers(t, 1)
	require.NoError(t, p.Close())
	require.Equal(t, lockstep.ErrClosed, p.Run(bg, func(context.Context) error { t.Error("called"); return nil }))
}
