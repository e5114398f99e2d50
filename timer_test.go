package lockstep_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestTimerEndsOneWait(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		from := time.Now()
		x := lockstep.NewTimer(time.Minute)
		at, err := x.Wait(bg)
		require.NoError(t, err)
		require.Equal(t, time.Minute, at.Sub(from))
		require.Equal(t, time.Minute, time.Since(from))

		ctx, cancel := context.WithTimeout(bg, time.Hour)
		defer cancel()
		_, err = x.Wait(ctx)
		require.Equal(t, context.DeadlineExceeded, err, "there is no second value")

		require.False(t, x.Stop())
		require.False(t, x.Reset(time.Second))
		require.NoError(t, lockstep.Sleep(bg, time.Hour))
		at, err = x.Wait(bg)
		require.NoError(t, err)
		require.Equal(t, time.Minute+time.Hour+time.Second, at.Sub(from), "a value that waits is that of its time")
	})
}

func TestStoppedAndResetTimersHaveNoStaleValue(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		x := lockstep.NewTimer(time.Second)
		require.True(t, x.Stop())
		require.False(t, x.Stop())
		require.False(t, x.Reset(time.Second))
		require.NoError(t, lockstep.Sleep(bg, time.Minute))
		require.True(t, x.Stop(), "the value was not received")
		soon, cancel := context.WithTimeout(bg, time.Minute)
		defer cancel()
		_, err := x.Wait(soon)
		require.Equal(t, context.DeadlineExceeded, err)

		x.Reset(time.Second)
		require.NoError(t, lockstep.Sleep(bg, time.Minute))
		from := time.Now()
		require.True(t, x.Reset(time.Hour))
		at, err := x.Wait(bg)
		require.NoError(t, err)
		require.Equal(t, time.Hour, at.Sub(from))
	})
}

func TestTickerDoesNotDrift(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		from := time.Now()
		x := lockstep.NewTicker(10 * time.Millisecond)
		for n := 1; n <= 300; n++ {
			at, err := x.Wait(bg)
			require.NoError(t, err)
			require.Equal(t, time.Duration(n)*10*time.Millisecond, at.Sub(from))
			require.Equal(t, at, time.Now())
			time.Sleep(time.Duration(n%10) * time.Millisecond) //lockstep:allow sleep in a bubble: work that holds the worker
		}
		// A receiver that comes late gets one tick, the first one that it missed, and the next in phase.
		time.Sleep(55 * time.Millisecond) //lockstep:allow sleep in a bubble, see anywhere
		_, err := x.Wait(bg)
		require.NoError(t, err)
		at, err := x.Wait(bg)
		require.NoError(t, err)
		require.Equal(t, 3060*time.Millisecond, at.Sub(from))

		x.Stop()
		soon, cancel := context.WithTimeout(bg, time.Minute)
		defer cancel()
		_, err = x.Wait(soon)
		require.Equal(t, context.DeadlineExceeded, err)
		from = time.Now()
		x.Reset(time.Hour)
		for at := range x.All(bg) {
			if at.Sub(from) == 5*time.Hour {
				break
			}
		}
		require.Equal(t, 5*time.Hour, time.Since(from))
		x.Stop()
	})
}

func TestAfterFuncRunsAsATaskOfTheCallersQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 2, lockstep.WithTaskQueue("q"), lockstep.WithCapacity(1))
		from := time.Now()
		var ran []time.Duration
		require.NoError(t, p.TaskQueue("q").Run(bg, func(ctx context.Context) error {
			x := lockstep.AfterFunc(time.Hour, func() {
				ran = append(ran, time.Since(from))
				// Run from a task of the named queue is a call on the task's own goroutine, and parks nothing.
				require.NoError(t, p.TaskQueue("q").Run(ctx, func(context.Context) error { return nil }))
				lockstep.Yield()
			})
			require.NoError(t, lockstep.Sleep(ctx, 2*time.Hour))
			require.Equal(t, []time.Duration{time.Hour}, ran)
			require.False(t, x.Stop())
			require.False(t, x.Reset(time.Minute))
			require.True(t, x.Reset(time.Hour))
			require.True(t, x.Stop())
			require.False(t, x.Reset(-1))
			require.NoError(t, lockstep.Sleep(ctx, time.Minute))
			require.Equal(t, []time.Duration{time.Hour, 2 * time.Hour}, ran)
			return nil
		}))
		require.Equal(t, uint64(3), p.TaskQueue("q").Stats().Started)
	})
}

func TestTimersOfEqualTimesGoOffInTheOrderOfTheirSetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := still(t, 1)
		var got []int
		inTask(p, func(ctx context.Context) {
			due := time.Now().Add(time.Hour)
			var timers []*lockstep.Timer
			for i := range 1000 {
				x := lockstep.AfterFunc(time.Until(due), func() { got = append(got, i) })
				timers = append(timers, x)
				if i%3 == 0 {
					_ = lockstep.Sleep(ctx, time.Second)
				}
			}
			for i := 0; i < 1000; i += 7 { // set again, they are the last
				timers[i].Reset(time.Until(due))
			}
			_ = lockstep.Sleep(ctx, 2*time.Hour)
		})
		var want []int
		for i := range 1000 {
			if i%7 != 0 {
				want = append(want, i)
			}
		}
		for i := 0; i < 1000; i += 7 {
			want = append(want, i)
		}
		require.Equal(t, want, got)
	})
}

func TestAfterIsANativeChannel(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		from := time.Now()
		ch := lockstep.After(time.Minute)
		unused := lockstep.After(time.Hour)
		require.NoError(t, lockstep.Sleep(bg, 2*time.Minute))
		require.Equal(t, time.Minute, (<-ch).Sub(from))
		require.Empty(t, unused)
	})
}

// What a task has set goes on after the pool, except what would run on it.
func TestTimersOutliveTheirPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := time.Now()
		p := workers(t, 2)
		var timer *lockstep.Timer
		var ticker *lockstep.Ticker
		var ch <-chan time.Time
		var ctx context.Context
		var ran atomic.Int32
		var pending, fired *lockstep.Timer
		inTask(p, func(context.Context) {
			timer, ticker, ch = lockstep.NewTimer(time.Hour), lockstep.NewTicker(time.Minute), lockstep.After(time.Hour)
			ctx, _ = lockstep.WithTimeout(bg, time.Hour) //nolint:govet // its end is awaited
			pending = lockstep.AfterFunc(time.Hour, func() { ran.Inc() })
			fired = lockstep.AfterFunc(time.Nanosecond, func() { ran.Inc() })
			_ = lockstep.Sleep(bg, time.Second)
		})
		require.NoError(t, p.Close())
		require.Equal(t, time.Second, time.Since(from), "Close waits for no timer")
		require.Equal(t, int32(1), ran.Load())
		for n := range 3 {
			at, err := ticker.Wait(bg)
			require.NoError(t, err)
			require.Equal(t, time.Duration(n+1)*time.Minute, at.Sub(from))
		}
		ticker.Stop()
		at, err := timer.Wait(bg)
		require.NoError(t, err)
		require.Equal(t, time.Hour, at.Sub(from))
		require.Equal(t, time.Hour, (<-ch).Sub(from))
		<-ctx.Done()
		require.Equal(t, context.DeadlineExceeded, ctx.Err())
		require.Equal(t, time.Hour, time.Since(from))
		time.Sleep(time.Hour)
		require.Equal(t, int32(1), ran.Load(), "a function that was to run on the pool is not run")
		require.False(t, pending.Stop())
		require.False(t, fired.Stop())
	})
}

func TestTimerMisuse(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		x := lockstep.AfterFunc(time.Hour, func() {})
		defer x.Stop()
		var none context.Context
		for _, f := range []func(){
			func() { _, _ = x.Wait(bg) },
			func() { lockstep.AfterFunc(1, nil) },
			func() { lockstep.NewTicker(0) },
			func() { lockstep.NewTicker(1).Reset(-1) },
			func() { _, _ = lockstep.NewTimer(1).Wait(none) },
		} {
			require.Regexp(t, "^lockstep: ", panicOf(f))
		}
	})
}

func TestTimeoutIsTheStandardLibrarys(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		why := errors.New("too late")
		from := time.Now()
		ctx, cancel := lockstep.WithTimeoutCause(context.WithValue(bg, timerKey{}, 1), time.Minute, why)
		defer cancel()
		at, ok := ctx.Deadline()
		require.True(t, ok)
		require.Equal(t, time.Minute, at.Sub(from))
		require.Equal(t, 1, ctx.Value(timerKey{}))
		require.NoError(t, ctx.Err())
		require.NoError(t, context.Cause(ctx))
		child, stop := context.WithCancel(context.WithValue(ctx, timerKey{}, 2))
		defer stop()
		far, stopFar := lockstep.WithTimeout(child, time.Hour)
		defer stopFar()
		require.Equal(t, why, lockstep.Sleep(far, time.Hour))
		for _, c := range []context.Context{ctx, child, far} {
			<-c.Done()
			require.Equal(t, context.DeadlineExceeded, c.Err())
			require.Equal(t, why, context.Cause(c))
		}
		require.Equal(t, time.Minute, time.Since(from))
	})
}

type timerKey struct{}

func TestTimeoutEndsBeforeItsTime(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		why := errors.New("enough")
		from := time.Now()
		for _, wanted := range []bool{false, true} { // the channel
			ctx, cancel := lockstep.WithTimeout(bg, time.Minute)
			if wanted {
				require.Empty(t, ctx.Done())
			}
			cancel()
			cancel()
			require.Equal(t, context.Canceled, ctx.Err())
			require.Equal(t, context.Canceled, context.Cause(ctx))
			<-ctx.Done()

			parent, end := context.WithCancelCause(bg)
			ctx, cancel = lockstep.WithTimeout(parent, time.Minute)
			var done <-chan struct{}
			if wanted {
				done = ctx.Done()
			}
			end(why)
			require.Equal(t, context.Canceled, ctx.Err())
			require.Equal(t, why, context.Cause(ctx))
			if wanted {
				<-done
			}
			<-ctx.Done()
			cancel()
			require.Equal(t, why, context.Cause(ctx))
		}
		ctx, cancel := lockstep.WithDeadline(bg, from)
		defer cancel()
		require.Equal(t, context.DeadlineExceeded, ctx.Err())
		require.Zero(t, time.Since(from))
	})
}
