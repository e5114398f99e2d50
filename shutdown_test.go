package lockstep_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// ended is a context that has ended.
func endedContext() context.Context {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	return ctx
}

func TestShutdownInTimeIsClose(t *testing.T) {
	p := workers(t, 2)
	ctx, cancel := context.WithTimeout(bg, time.Hour)
	defer cancel()
	ran := atomic.NewInt32(0)
	for range 100 {
		p.Go(func() { _ = lockstep.Sleep(bg, time.Millisecond); ran.Inc() })
	}
	require.NoError(t, p.Shutdown(ctx))
	require.Equal(t, int32(100), ran.Load())
}

func TestShutdownEndsTasksThatYieldForEver(t *testing.T) {
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithLockOSThread(false)}} {
		p := workers(t, 2, opts...)
		var defers atomic.Int32
		var began sync.WaitGroup
		loops := []func(){lockstep.Yield, lockstep.YieldIfNeeded, func() { _ = lockstep.Sleep(bg, 0) }}
		var tasks []*lockstep.Task[int]
		for _, f := range loops {
			began.Add(1)
			tasks = append(tasks, lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
				defer defers.Inc()
				defer func() { _ = recover() }() // does not save it
				began.Done()
				for {
					func() {
						defer func() { _ = recover() }()
						f()
					}()
				}
			}))
		}
		for range 2 {
			lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { return 0, nil })
		}
		began.Wait()
		force(t, p)
		require.Equal(t, int32(len(loops)), defers.Load())
		for _, task := range tasks {
			_, err := task.Wait(bg)
			require.Equal(t, lockstep.ErrShutdown, err)
		}
	}
}

// Every kind of wait ends with ErrShutdown, and the next one by Goexit.
func TestShutdownEndsEveryWait(t *testing.T) {
	p := workers(t, 1)
	forever := make(chan struct{})
	other := workers(t, 1)
	never := lockstep.Spawn(other.Context(bg), func(context.Context) (int, error) { <-forever; return 0, nil })
	defer close(forever)
	full := still(t, 1, lockstep.WithCapacity(1))
	release := hold(full, 1)
	defer release()
	full.Go(nothing)
	busy := &lockstep.Group{}
	lockstep.SetDefault(other)
	busy.Go(func() error { <-forever; return nil })
	waits := map[string]func(ctx context.Context) error{
		"Sleep":      func(context.Context) error { return lockstep.Sleep(bg, time.Hour) },
		"Sleep(ctx)": func(ctx context.Context) error { return lockstep.Sleep(ctx, time.Hour) },
		"Wait":       func(context.Context) error { _, err := never.Wait(bg); return err },
		"Group.Wait": func(context.Context) error { return busy.Wait() },
		"Run":        func(context.Context) error { return other.Run(bg, func(context.Context) error { return nil }) },
		"Submit":     func(context.Context) error { return full.Submit(bg, nothing) },
		"child's ctx": func(ctx context.Context) error {
			c, cancel := context.WithCancel(ctx)
			defer cancel()
			return lockstep.Sleep(c, time.Hour)
		},
	}
	var began sync.WaitGroup
	results := map[string]*lockstep.Task[int]{}
	first := map[string]error{}
	deferred := map[string]error{}
	for name, wait := range waits {
		began.Add(1)
		results[name] = lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
			defer func() { deferred[name] = lockstep.Sleep(bg, time.Microsecond) }() // may wait normally
			began.Done()
			first[name] = wait(ctx)
			for { // one more wait may end by its return, if the context ended before the worker took note
				_ = lockstep.Sleep(bg, time.Hour)
			}
		})
	}
	began.Wait()
	force(t, p)
	for name, task := range results {
		_, err := task.Wait(bg)
		require.Equal(t, lockstep.ErrShutdown, err, name)
		require.Equal(t, lockstep.ErrShutdown, first[name], name)
		require.NoError(t, deferred[name], name)
	}
	require.Len(t, deferred, len(waits))
}

func afterFunc(ctx context.Context) error {
	ch := make(chan struct{})
	context.AfterFunc(ctx, func() { close(ch) })
	<-ch
	return context.Cause(ctx)
}

func TestShutdownCancelsContexts(t *testing.T) {
	waits := []func(ctx context.Context) error{
		func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) },
		afterFunc,
		func(ctx context.Context) error {
			until(func() bool { return ctx.Err() != nil })
			return context.Cause(ctx)
		},
	}
	p := workers(t, len(waits))
	errs := make([]error, len(waits))
	var began sync.WaitGroup
	began.Add(len(waits))
	for i, wait := range waits {
		lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
			began.Done()
			errs[i] = wait(ctx)
			return 0, nil
		})
	}
	began.Wait()
	force(t, p)
	for _, err := range errs {
		require.Equal(t, lockstep.ErrShutdown, err)
	}
}

func TestShutdownDropsTasksThatHaveNotBegun(t *testing.T) {
	p := still(t, 1)
	release := hold(p, 1)
	ran := func() { t.Error("ran") }
	for range 100 {
		p.Go(ran)
	}
	task := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { ran(); return 0, nil })
	g, ctx := lockstep.NewGroup(p.Context(bg))
	g.Go(func() error { ran(); return nil })
	called := make(chan error)
	go func() { called <- p.Run(bg, func(context.Context) error { ran(); return nil }) }()
	until(func() bool { return p.Stats().Workers[0].Queued >= 103 })
	require.Error(t, p.Shutdown(endedContext()), "the worker is blocked")
	release()
	require.NoError(t, p.Close())
	_, err := task.Wait(bg)
	require.Equal(t, lockstep.ErrShutdown, err)
	require.Equal(t, lockstep.ErrShutdown, g.Wait())
	require.Equal(t, lockstep.ErrShutdown, context.Cause(ctx))
	require.Equal(t, lockstep.ErrShutdown, <-called)
	s := p.Stats().Queues[0]
	require.Equal(t, uint64(100), s.Cancelled, "dropped before they began")
	require.Equal(t, uint64(4), s.Started, "those with a handle begin, to report it")
	require.Equal(t, s.Started, s.Finished)
}

// A task of a pool that is being ended waits, in Go, for room in its own pool, or in
// another one. It has to end there, not to panic.
func TestShutdownEndsGoThatWaitsForRoom(t *testing.T) {
	for _, own := range []bool{true, false} {
		p := workers(t, 1, lockstep.WithCapacity(1))
		full := still(t, 1, lockstep.WithCapacity(1))
		release := hold(full, 1)
		full.Go(nothing)
		target := full
		if own {
			target = p
		}
		began := make(chan struct{})
		deferred, ran := false, 0
		task := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
			defer func() { deferred = true }()
			close(began)
			for {
				target.Go(func() { ran++ })
			}
		})
		<-began
		force(t, p)
		release()
		_, err := task.Wait(bg)
		require.Equal(t, lockstep.ErrShutdown, err)
		require.True(t, deferred)
		require.NoError(t, full.Close())
		if !own {
			require.Zero(t, ran, "what was not accepted does not run")
		}
	}
}

// The caller of Run is ended inside Run: what it called does not start afterwards.
func TestShutdownEndsCallerOfRun(t *testing.T) {
	p, other := workers(t, 1), still(t, 1)
	release := hold(other, 1)
	parked := make(chan struct{})
	task := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
		close(parked)
		if err := lockstep.Sleep(bg, time.Hour); !errors.Is(err, lockstep.ErrShutdown) {
			t.Error(err)
		}
		_ = other.Run(bg, func(context.Context) error { t.Error("called after its caller was ended"); return nil })
		return 0, nil
	})
	<-parked
	force(t, p)
	_, err := task.Wait(bg)
	require.Equal(t, lockstep.ErrShutdown, err)
	release()
	require.NoError(t, other.Close())
}
