package lockstep_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

type key struct{}

var errEnough = errors.New("enough")

// spawned runs f as a task of p, with a value in its context, and waits for it.
func spawned(t *testing.T, p *lockstep.Pool, f func(ctx context.Context)) {
	t.Helper()
	ctx := context.WithValue(p.Context(bg), key{}, "value")
	_, err := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) { f(ctx); return 0, nil }).Wait(bg)
	require.NoError(t, err)
}

func TestTaskContextHasWhatItsParentHas(t *testing.T) {
	p := workers(t, 1)
	at := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(context.WithValue(p.Context(bg), key{}, "value"), at)
	defer cancel()
	_, err := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) {
		d, ok := ctx.Deadline()
		require.True(t, ok)
		require.Equal(t, at, d)
		require.Equal(t, "value", ctx.Value(key{}))
		require.Nil(t, ctx.Value("another key"))
		require.Nil(t, ctx.Value(new(int)), "also for the type of key that the context package uses")
		require.NoError(t, ctx.Err())
		require.NoError(t, context.Cause(ctx))
		select {
		case <-ctx.Done():
			t.Error("done")
		default:
		}
		return 0, nil
	}).Wait(bg)
	require.NoError(t, err)
}

func TestTaskContextEndsWithTheTask(t *testing.T) {
	p := workers(t, 1)
	for name, look := range map[string]func(context.Context){
		"not looked at": func(context.Context) {},
		"Err":           func(ctx context.Context) { _ = ctx.Err() },
		"Done":          func(ctx context.Context) { ctx.Done() },
		"Cause":         func(ctx context.Context) { _ = context.Cause(ctx) },
		"derived":       func(ctx context.Context) { _, cancel := context.WithCancel(ctx); cancel() },
		"handed on": func(ctx context.Context) {
			_, _ = lockstep.Spawn(ctx, func(context.Context) (int, error) { return 0, nil }).Wait(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, first := range []string{"Err", "Done", "Cause", "derive"} {
				var kept context.Context
				spawned(t, p, func(ctx context.Context) { look(ctx); kept = ctx })
				switch first {
				case "Done":
					<-kept.Done()
				case "Cause":
					require.Equal(t, context.Canceled, context.Cause(kept))
				case "derive":
					derived, cancel := context.WithCancel(kept)
					defer cancel()
					<-derived.Done()
				}
				require.Equal(t, context.Canceled, kept.Err(), first)
				require.Equal(t, "value", kept.Value(key{}))
				require.Equal(t, context.Canceled, lockstep.Sleep(kept, time.Hour))
				require.Equal(t, context.Canceled, p.Submit(kept, nothing))
			}
		})
	}
}

// A context is data: wherever it is used, the call acts for the task that makes it, or for none.
func TestCapturedContextWorksEverywhere(t *testing.T) {
	p := workers(t, 2, lockstep.WithTaskQueue("a"))
	a := p.TaskQueue("a")
	var kept context.Context
	use := func(where string) {
		child, err := lockstep.Spawn(context.WithoutCancel(kept), func(ctx context.Context) (any, error) {
			return ctx.Value(key{}), nil
		}).Wait(bg)
		require.NoError(t, err, where)
		require.Equal(t, "value", child, where)
		lockstep.Yield()
		lockstep.YieldIfNeeded()
		lockstep.NeedYield()
		lockstep.BlockInPlace(runtime.Gosched, lockstep.WithBlockInPlace(true))
		_ = lockstep.Sleep(kept, time.Microsecond)
		_ = lockstep.Run(context.WithoutCancel(kept), func(context.Context) error { return nil })
	}
	ctx := context.WithValue(a.Context(bg), key{}, "value")
	_, err := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) {
		kept = ctx
		use("in its task")
		lockstep.BlockInPlace(func() { use("in a moved section") }, lockstep.WithBlockInPlace(true))
		outside(func() { use("in a goroutine beside the task") })
		inTask(p, func(context.Context) { use("in another task") })
		fired := make(chan struct{})
		time.AfterFunc(1, func() { defer close(fired); use("in a timer") })
		<-fired
		return 0, nil
	}).Wait(bg)
	require.NoError(t, err)
	use("after the task has ended")
	inTask(p, func(context.Context) { use("in another task, after its own has ended") })
	other := workers(t, 1)
	inTask(other, func(context.Context) { use("in a task of another pool") })
	require.Greater(t, a.Stats().Started, uint64(8), "they went to the context's queue")
}

func TestDerivedContexts(t *testing.T) {
	p := workers(t, 1)
	task := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
		const n = 200
		before := runtime.NumGoroutine()
		var fired atomic.Int32
		derived := ctx
		var all []context.Context
		for i := range n {
			var cancel context.CancelFunc
			switch i % 4 {
			case 0:
				derived, cancel = context.WithCancel(derived)
			case 1:
				derived, cancel = context.WithTimeout(derived, time.Hour)
			case 2:
				derived = context.WithValue(derived, key{}, i)
			case 3:
				context.AfterFunc(derived, func() { fired.Inc() })
				derived, cancel = context.WithCancel(ctx)
			}
			if cancel != nil {
				defer cancel()
			}
			all = append(all, derived)
		}
		require.LessOrEqual(t, runtime.NumGoroutine(), before, "a derived context costs no goroutine")
		errs := make(chan error, 1)
		go func() { // somebody cancels the task
			ctx.(interface{ Cancel(error) }).Cancel(errEnough)
			errs <- nil
		}()
		<-errs
		for _, c := range all {
			<-c.Done()
			require.Equal(t, context.Canceled, c.Err())
			require.Equal(t, errEnough, context.Cause(c))
		}
		until(func() bool { return fired.Load() == n/4 })
		return 0, nil
	})
	_, err := task.Wait(bg)
	require.NoError(t, err)
}
