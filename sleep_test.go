package lockstep_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// anywhere calls f in a bubble, in a task of a pool with one worker and outside of tasks.
func anywhere(t *testing.T, f func(t *testing.T)) {
	for _, locked := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			inTask(workers(t, 1, lockstep.WithLockOSThread(locked)), func(context.Context) { f(t) })
		})
	}
	synctest.Test(t, f)
}

func TestSleepIsExact(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		for _, d := range []time.Duration{1, time.Microsecond, 17 * time.Millisecond, time.Hour, 1000 * time.Hour} {
			from := time.Now()
			require.NoError(t, lockstep.Sleep(bg, d))
			require.Equal(t, d, time.Since(from))
		}
	})
}

func TestSleepOfNothingIsYield(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		from := time.Now()
		for _, d := range []time.Duration{0, -1, math.MinInt64} {
			require.NoError(t, lockstep.Sleep(bg, d))
		}
		require.Zero(t, time.Since(from))
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		why := errors.New("alarm")
		ctx, cancel := context.WithCancelCause(bg)
		from := time.Now()
		time.AfterFunc(time.Minute, func() { cancel(why) })
		require.Equal(t, why, lockstep.Sleep(ctx, time.Hour))
		require.Equal(t, time.Minute, time.Since(from))
		require.Equal(t, why, lockstep.Sleep(ctx, time.Hour), "at once")
		require.Equal(t, why, lockstep.Sleep(ctx, 0))
		require.Equal(t, time.Minute, time.Since(from))

		short, cancelShort := context.WithTimeout(bg, time.Second)
		defer cancelShort()
		require.Equal(t, context.DeadlineExceeded, lockstep.Sleep(short, time.Hour))
		require.Equal(t, time.Minute+time.Second, time.Since(from))
	})
}

func TestSleepForEverIsEndedByItsContext(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		for _, d := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1} {
			ctx, cancel := context.WithTimeout(bg, time.Hour)
			require.Equal(t, context.DeadlineExceeded, lockstep.Sleep(ctx, d))
			cancel()
		}
	})
}

func TestSleepersWakeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := still(t, 1)
		var got []int
		from := time.Now()
		release := hold(p, 1)
		for i := range 100 {
			p.Go(func() {
				_ = lockstep.Sleep(bg, time.Duration(100-i)*time.Second)
				require.Equal(t, time.Duration(100-i)*time.Second, time.Since(from))
				got = append(got, 100-i)
			})
		}
		release()
		inTask(p, func(context.Context) { _ = lockstep.Sleep(bg, 101*time.Second) })
		for i, v := range got {
			require.Equal(t, i+1, v)
		}
		got = got[:0]
		for i := range 100 { // equal deadlines: in the order of the calls
			p.Go(func() { _ = lockstep.Sleep(bg, time.Second); got = append(got, i) })
		}
		require.NoError(t, p.Close())
		require.Len(t, got, 100)
		for i, v := range got {
			require.Equal(t, i, v)
		}
	})
}

// D25: the clock that tasks sleep by is read when they call Sleep.
func TestD25SleepAfterLongWorkCountsFromTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 1)
		inTask(p, func(ctx context.Context) {
			from := time.Now()
			time.Sleep(100 * time.Millisecond) // stands for work: the worker looks at nothing meanwhile
			require.NoError(t, lockstep.Sleep(ctx, 10*time.Millisecond))
			require.Equal(t, 110*time.Millisecond, time.Since(from))

			from = time.Now()
			for n := range 1000 { // a ticker that keeps its phase, beside a task that is busy half of the time
				if n%2 == 0 {
					p.Go(func() { time.Sleep(5 * time.Millisecond) })
				}
				next := time.Duration(n+1) * 10 * time.Millisecond
				require.NoError(t, lockstep.Sleep(ctx, next-time.Since(from)))
				require.Equal(t, next, time.Since(from))
			}
		})
	})
}

func TestSleepersOnManyWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers(t, 4)
		from := time.Now()
		for i := range 1000 {
			p.Go(func() {
				for j := range 5 {
					_ = lockstep.Sleep(bg, time.Duration(i%7+1)*time.Second)
					if want := time.Duration(j+1) * time.Duration(i%7+1) * time.Second; time.Since(from) != want {
						t.Error(time.Since(from), want)
					}
				}
			})
		}
		require.NoError(t, p.Close())
		require.Equal(t, 35*time.Second, time.Since(from))
	})
}
