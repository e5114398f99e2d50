package lockstep_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// busy keeps n tasks of p yielding until stop, so that its monitor looks around.
func busy(p *lockstep.Pool, n int) (stop func()) {
	var stopped atomic.Bool
	for range n {
		p.Go(func() {
			for !stopped.Load() {
				lockstep.Yield()
			}
		})
	}
	return func() { stopped.Store(true) }
}

// workerCount counts the workers that are not helpers.
func workerCount(p *lockstep.Pool) (n int) {
	for _, w := range p.Stats().Workers {
		if !w.Helper {
			n++
		}
	}
	return n
}

func TestDefaultWorkersFollowGOMAXPROCS(t *testing.T) {
	withProcs(t, 2)
	p := newPool(t)
	fixed := workers(t, 3)
	require.Equal(t, 2, workerCount(p))
	stop, stopFixed := busy(p, 8), busy(fixed, 3)
	for _, n := range []int{4, 1, 3, 2, 8, 1} {
		runtime.GOMAXPROCS(n)
		until(func() bool {
			p.Go(nothing) // started tasks stay; what is new goes to the workers that stay
			return workerCount(p) >= n && p.Run(bg, func(context.Context) error { return nil }) == nil
		})
	}
	require.Equal(t, 3, workerCount(fixed))
	stop()
	stopFixed()
	until(func() bool { p.Go(nothing); return workerCount(p) == 1 })
	require.NoError(t, p.Close())
	s := p.Stats().Queues[0]
	require.Equal(t, s.Started, s.Finished, "the totals of workers that have ended count")
}

// GOMAXPROCS changes as soon as New has returned.
func TestDefaultWorkersFollowAtOnce(t *testing.T) {
	for range 20 {
		withProcs(t, 4)
		p := newPool(t)
		runtime.GOMAXPROCS(1)
		stop := busy(p, 1)
		until(func() bool { return p.TryGo(nothing) && workerCount(p) <= 2 }) // it may be on one that leaves
		stop()
		until(func() bool { return p.TryGo(nothing) && workerCount(p) == 1 })
		require.NoError(t, p.Close())
	}
}

// blockAll blocks the n workers of p natively, each with a gate of its own.
func blockAll(p *lockstep.Pool, n int) (gates []chan struct{}) {
	var held sync.WaitGroup
	held.Add(n)
	for range n {
		gate := make(chan struct{})
		gates = append(gates, gate)
		p.Go(func() { held.Done(); <-gate })
	}
	held.Wait()
	return gates
}

// A worker that is one too many is the last to end its tasks while the pool closes.
func TestCloseWhileWorkersLeave(t *testing.T) {
	for last := range 4 {
		withProcs(t, 4)
		synctest.Test(t, func(t *testing.T) {
			p := newPool(t, lockstep.WithMaxThreads(0))
			gates := blockAll(p, 4)
			runtime.GOMAXPROCS(1)
			time.Sleep(2 * time.Second) // the pool has noticed
			closed := make(chan error)
			go func() { closed <- p.Close() }()
			for i := range gates {
				if i != last {
					synctest.Wait()
					close(gates[i])
				}
			}
			synctest.Wait()
			require.LessOrEqual(t, workerCount(p), 2)
			close(gates[last])
			require.NoError(t, <-closed)
		})
	}
}

// What is queued behind a task that blocks a leaving worker is run by those that stay.
func TestLeavingWorkersWorkIsTaken(t *testing.T) {
	withProcs(t, 2)
	p := newPool(t)
	var ran atomic.Int32
	gate, held := make(chan struct{}), make(chan struct{}, 2)
	for range 2 {
		p.Go(func() {
			for range 10 {
				p.Go(func() { ran.Inc() }) // behind this task, on its worker
			}
			held <- struct{}{}
			<-gate
		})
	}
	<-held
	<-held
	runtime.GOMAXPROCS(1)
	two := workers(t, 1)
	stop := busy(two, 1)
	var freed sync.WaitGroup
	freed.Add(1)
	go func() { defer freed.Done(); gate <- struct{}{} }() // one of the two goes on
	freed.Wait()
	until(func() bool { return ran.Load() == 20 })
	stop()
	close(gate)
}

func TestWithSpareProcsRaisesAndRestores(t *testing.T) {
	withProcs(t, 2)
	procs := func() int { return runtime.GOMAXPROCS(0) }
	a := newPool(t, lockstep.WithSpareProcs(1))
	require.Equal(t, 3, procs())
	require.Equal(t, 2, workerCount(a), "workers are as many as the program's own Ps")
	b := newPool(t, lockstep.WithSpareProcs(3), lockstep.WithWorkers(1))
	require.Equal(t, 5, procs(), "the most that any pool asked for")
	c := newPool(t, lockstep.WithSpareProcs(1))
	require.Equal(t, 2, workerCount(c))
	require.NoError(t, b.Close())
	require.Equal(t, 3, procs())
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	require.Equal(t, 3, procs(), "closing twice counts once")
	require.NoError(t, c.Close())
	require.Equal(t, 2, procs())
	_, err := lockstep.New(lockstep.WithSpareProcs(1), lockstep.WithWorkers(-1))
	require.Error(t, err)
	require.Equal(t, 2, procs())
}

func TestProgramsOwnGOMAXPROCSHolds(t *testing.T) {
	withProcs(t, 2)
	a, b := newPool(t, lockstep.WithSpareProcs(1)), newPool(t, lockstep.WithSpareProcs(2))
	require.Equal(t, 4, runtime.GOMAXPROCS(6))
	require.NoError(t, b.Close())
	require.Equal(t, 6, runtime.GOMAXPROCS(0), "also when one of several closes")
	c := newPool(t, lockstep.WithSpareProcs(1))
	require.Equal(t, 7, runtime.GOMAXPROCS(0), "a new pool adds to it")
	require.Equal(t, 6, workerCount(c))
	require.NoError(t, c.Close())
	require.NoError(t, a.Close())
	require.Equal(t, 6, runtime.GOMAXPROCS(0))
}

func TestSpareProcsFromManyPoolsAtOnce(t *testing.T) {
	withProcs(t, 2)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				p, err := lockstep.New(lockstep.WithSpareProcs(1+i%3), lockstep.WithWorkers(1))
				if err != nil || p.Close() != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 2, runtime.GOMAXPROCS(0))
}
