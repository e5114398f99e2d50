package lockstep_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// Every way in which a context can end, at every time in a task's life.
func TestContextEndsAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := still(t, 1)
		ends := map[string]func() (context.Context, func()){
			"cancel": func() (context.Context, func()) {
				ctx, cancel := context.WithCancelCause(p.Context(bg))
				return ctx, func() { cancel(errEnough) }
			},
			"deadline": func() (context.Context, func()) {
				ctx, cancel := context.WithTimeoutCause(p.Context(bg), time.Second, errEnough)
				return ctx, func() { time.Sleep(2 * time.Second); cancel() }
			},
		}
		for name, end := range ends {
			ctx, now := end()
			now()
			_, err := lockstep.Spawn(ctx, func(context.Context) (int, error) { t.Error("called"); return 0, nil }).Wait(bg)
			require.Equal(t, errEnough, err, "%s before", name)

			ctx, now = end()
			release := hold(p, 1)
			queued := lockstep.Spawn(ctx, func(context.Context) (int, error) { t.Error("called"); return 0, nil })
			now()
			release()
			_, err = queued.Wait(bg)
			require.Equal(t, errEnough, err, "%s while queued", name)

			ctx, now = end()
			_, err = lockstep.Spawn(ctx, func(ctx context.Context) (int, error) {
				outside(now)
				require.Error(t, ctx.Err())
				return 0, context.Cause(ctx)
			}).Wait(bg)
			require.Equal(t, errEnough, err, "%s while running", name)

			ctx, now = end()
			parked := lockstep.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, lockstep.Sleep(ctx, time.Hour) })
			synctest.Wait()
			now()
			_, err = parked.Wait(bg)
			require.Equal(t, errEnough, err, "%s while parked", name)
		}
	})
}

// The context of a task ends with it, and so do the waits of those it was handed on to.
func TestWaitsEndWithTheTaskWhoseContextTheyHave(t *testing.T) {
	for _, looked := range []bool{false, true} {
		for _, levels := range []int{1, 3} {
			synctest.Test(t, func(t *testing.T) {
				p := workers(t, 1)
				var sleep func(ctx context.Context, n int) (error, error)
				sleep = func(ctx context.Context, n int) (error, error) {
					if n == 0 {
						return lockstep.Sleep(ctx, time.Hour), nil
					}
					v, err := lockstep.Spawn(ctx, func(ctx context.Context) (error, error) { return sleep(ctx, n-1) }).Wait(bg)
					return v, err
				}
				inner := make(chan *lockstep.Task[error], 1)
				outer := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
					if looked {
						ctx.Done()
					}
					inner <- lockstep.Spawn(ctx, func(ctx context.Context) (error, error) { return sleep(ctx, levels-1) })
					lockstep.Yield()
					return 0, lockstep.Sleep(bg, time.Minute)
				})
				from := time.Now()
				v, err := (<-inner).Wait(bg)
				require.NoError(t, err)
				require.Equal(t, context.Canceled, v)
				require.Equal(t, time.Minute, time.Since(from))
				_, err = outer.Wait(bg)
				require.NoError(t, err)
			})
		}
	}
}

// Cancel and the task's own looks at its context race.
func TestCancelRacesWithEverything(t *testing.T) {
	p := workers(t, 2)
	for i := range 2000 {
		task := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) {
			if i%2 == 0 {
				_ = lockstep.Sleep(ctx, time.Hour)
			} else {
				<-ctx.Done()
			}
			return 0, context.Cause(ctx)
		})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { task.Cancel(errEnough) })
		}
		_, err := task.Wait(bg)
		require.Equal(t, errEnough, err)
		wg.Wait()
	}
}
