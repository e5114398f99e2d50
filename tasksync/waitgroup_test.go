package tasksync_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// A group may be used again after a Wait that has given up. The Done that brought the last round to its end, and that the Wait
// met, must not end a Wait of the next.
func TestStressWaitGroupAgainAfterGivingUp(t *testing.T) {
	stress(t, func(t *testing.T, p *lockstep.Pool) {
		crowd(t, p, 2, func(r *rand.Rand) {
			var g tasksync.WaitGroup
			for range 300 {
				var done atomic.Int64
				end := func() { done.Inc(); g.Done() }
				ctx, cancel := context.WithCancel(bg)
				g.Add(1)
				p.Go(end)
				go cancel()
				_ = g.WaitContext(ctx)
				g.Add(1)
				if r.IntN(2) == 0 {
					p.Go(end)
				} else {
					go end()
				}
				if r.IntN(2) == 0 {
					g.Wait()
				} else if err := g.WaitContext(bg); err != nil {
					t.Error(err)
				}
				if n := done.Load(); n != 2 {
					t.Errorf("Wait returned after %d of 2", n)
				}
			}
		})
	})
}

// A count that goes up from 0 while somebody has not returned from Wait is misuse, where it is seen.
func TestWaitGroupAddWhileWaiting(t *testing.T) {
	p := mixed(t, 1, true)
	inTask(p, func() {
		var g tasksync.WaitGroup
		g.Add(1)
		waits := atomic.NewInt64(0)
		p.Go(func() { waits.Inc(); g.Wait(); waits.Dec() })
		for waits.Load() == 0 {
			lockstep.Yield()
		}
		g.Add(3) // while the count is not 0 this is in order
		g.Add(-3)
		g.Done()
		for waits.Load() != 0 {
			lockstep.Yield()
		}
		g.Add(1)
		g.Done()
		g.Wait()
	})
	var g tasksync.WaitGroup
	g.Add(1)
	back := make(chan struct{})
	go func() { g.Wait(); close(back) }()
	until(func() bool { return tasksync.Waits(&g) })
	tasksync.DoneFirst(&g)
	require.PanicsWithValue(t, "lockstep: Add of a tasksync.WaitGroup, from 0, while a Wait has not returned", func() { g.Add(1) })
	g.Done() // what it has added
	<-back
}

// The same by hand: a Done has counted down, and wakes when its round is over and the next has begun.
func TestWaitGroupLateWake(t *testing.T) {
	var g tasksync.WaitGroup
	g.Add(1)
	ctx, cancel := context.WithCancel(bg)
	gaveUp := make(chan error)
	go func() { gaveUp <- g.WaitContext(ctx) }()
	until(func() bool { return tasksync.Waits(&g) })
	tasksync.DoneFirst(&g)
	cancel()
	require.Equal(t, context.Canceled, <-gaveUp)
	g.Add(1)
	var over atomic.Int64
	back := make(chan int64)
	go func() { g.Wait(); back <- over.Load() }()
	until(func() bool { return tasksync.Waits(&g) })
	tasksync.DoneThen(&g)
	require.True(t, tasksync.Waits(&g), "woken by the Done of the last round")
	over.Store(1)
	g.Done()
	require.Equal(t, int64(1), <-back)
}

// What a forced shutdown keeps from beginning is not waited for.
func TestWaitGroupGoAndShutdown(t *testing.T) {
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithCapacity(4)}} {
		p, err := lockstep.New(append(opts, lockstep.WithWorkers(1))...)
		require.NoError(t, err)
		var g tasksync.WaitGroup
		gate, started := make(chan struct{}), make(chan struct{})
		p.Go(func() {
			for range 3 {
				g.Go(func() { t.Error("begun after the kill") })
			}
			close(started)
			<-gate
		})
		<-started
		ctx, cancel := context.WithCancel(bg)
		cancel()
		require.ErrorIs(t, p.Shutdown(ctx), context.Canceled)
		close(gate)
		g.Wait()
		until(func() bool { return p.Shutdown(ctx) == nil })
	}
}

// A Go that a closed pool refuses has not counted. Nothing else here uses the default pool, which stays a closed one.
func TestWaitGroupGoOnAClosedPool(t *testing.T) {
	for _, opts := range [][]lockstep.Option{nil, {lockstep.WithCapacity(4)}} {
		p, err := lockstep.New(append(opts, lockstep.WithWorkers(1))...)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		lockstep.SetDefault(p)
		var g tasksync.WaitGroup
		require.PanicsWithValue(t, "lockstep: WaitGroup.Go on a closed pool, like a send on a closed channel", func() {
			g.Go(func() { t.Error("run") })
		})
		g.Wait()
	}
}

// In a pool with a capacity Go waits for room.
func TestWaitGroupGoWaitsForRoom(t *testing.T) {
	p := workers(t, 1, lockstep.WithCapacity(2))
	inTask(p, func() {
		var g tasksync.WaitGroup
		var ran atomic.Int64
		for range 100 {
			g.Go(func() { ran.Inc() })
		}
		g.Wait()
		if ran.Load() != 100 {
			t.Error("Wait returned too early")
		}
	})
}

// The spawn site of a task of Go is the caller's: a report names it.
func TestWaitGroupGoNamesTheCaller(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(1))
	require.NoError(t, err)
	gate := make(chan struct{})
	var g tasksync.WaitGroup
	started := make(chan struct{})
	p.Go(func() { g.Go(func() { close(started); <-gate }) })
	<-started
	ctx, cancel := context.WithCancel(bg)
	cancel()
	err = p.Shutdown(ctx)
	require.ErrorContains(t, err, "waitgroup_test.go")
	close(gate)
	g.Wait()
	until(func() bool { return p.Shutdown(ctx) == nil })
}

// Who comes back from Wait has seen what was done before Done, also if it did not wait.
func TestWaitGroupOrders(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		for range 200 {
			var g tasksync.WaitGroup
			g.Add(2)
			a, b := 0, 0 // the race detector looks on
			p.Go(func() { a = 1; g.Done() })
			go func() { b = 1; g.Done() }()
			runtime.Gosched()
			g.Wait()
			if a+b != 2 {
				t.Error("not seen")
			}
		}
	})
}
