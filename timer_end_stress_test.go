package lockstep_test

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// again calls f for a while, with LOCKSTEP_STRESS for as long as that says, and a few times at least.
func again(t *testing.T, few int, f func(r *rand.Rand, n int)) {
	long := 200 * time.Millisecond
	if d, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS")); err == nil {
		long = d
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for n, from := 0, time.Now(); n < few || time.Since(from) < long; n++ {
		f(r, n)
	}
}

// A task that AfterFunc starts while the pool ends is a task like others: it may wait, and its children run.
func TestStressAfterFuncAtTheEndOfThePool(t *testing.T) {
	again(t, 100, func(r *rand.Rand, n int) {
		p := workers(t, 2, lockstep.WithLockOSThread(n%2 == 0))
		var begun, child, ended atomic.Int32
		inTask(p, func(context.Context) {
			d := time.Duration(r.IntN(400)) * time.Microsecond
			for k := range 8 {
				lockstep.AfterFunc(d+time.Duration(k)*5*time.Microsecond, func() {
					begun.Inc()
					lockstep.Go(func() { child.Inc() })
					lockstep.Yield()
					_ = lockstep.Sleep(bg, time.Microsecond)
					ended.Inc()
				})
			}
		})
		<-time.After(time.Duration(r.IntN(370)) * time.Microsecond)
		require.NoError(t, p.Close())
		require.Equal(t, begun.Load(), ended.Load())
		require.Equal(t, begun.Load(), child.Load())
	})
}

// ticksOf counts the ticks of a ticker until the context ends.
func ticksOf(ctx context.Context, tk *lockstep.Ticker) *atomic.Int64 {
	ticks := new(atomic.Int64)
	go func() {
		for {
			if _, err := tk.Wait(ctx); err != nil {
				return
			}
			ticks.Inc()
		}
	}()
	return ticks
}

// goesOn waits for further ticks; if the ticker stands still the test's time limit says so.
func goesOn(ticks *atomic.Int64) {
	at := ticks.Load()
	until(func() bool { return ticks.Load() >= at+3 })
}

// The ticker of a worker that is held again and again goes on, with helpers and after them.
func TestStressTickerOfAHeldWorker(t *testing.T) {
	p := workers(t, 1, lockstep.WithStallThreshold(time.Millisecond))
	var tk *lockstep.Ticker
	inTask(p, func(context.Context) { tk = lockstep.NewTicker(50 * time.Microsecond) })
	defer tk.Stop()
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	ticks := ticksOf(ctx, tk)
	again(t, 10, func(r *rand.Rand, _ int) {
		release := hold(p, 1)
		p.Go(func() {})
		<-time.After(2*time.Millisecond + time.Duration(r.IntN(2000))*time.Microsecond)
		release()
		goesOn(ticks)
	})
}

// Tickers of workers that are held, come back and end at once, go on.
func TestStressTickersOfWorkersThatEnd(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	again(t, 3, func(r *rand.Rand, _ int) {
		runtime.GOMAXPROCS(4)
		p := newPool(t, lockstep.WithStallThreshold(time.Millisecond))
		ctx, cancel := context.WithCancel(bg)
		gate, made := make(chan struct{}), make(chan *lockstep.Ticker)
		for range 4 {
			p.Go(func() { // each holds its worker, or a helper, which ends as well
				made <- lockstep.NewTicker(time.Millisecond)
				<-gate
			})
		}
		var all []*lockstep.Ticker
		var ticks []*atomic.Int64
		for range 4 {
			all = append(all, <-made)
			ticks = append(ticks, ticksOf(ctx, all[len(all)-1]))
		}
		runtime.GOMAXPROCS(1)
		<-time.After(12*time.Millisecond + time.Duration(r.IntN(1000))*time.Microsecond)
		close(gate)
		for i := range ticks {
			goesOn(ticks[i])
		}
		cancel()
		for _, tk := range all {
			tk.Stop()
		}
		require.NoError(t, p.Close())
	})
}
