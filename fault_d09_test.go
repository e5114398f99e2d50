package lockstep_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// Submitters that wait for room when the pool closes are told, or served.
func TestD09SubmittersAsleepWhenThePoolCloses(t *testing.T) {
	other := workers(t, 2)
	for round := range rounds(500, 1000) {
		p := workers(t, 1, lockstep.WithCapacity(1))
		var accepted, ran atomic.Int32
		f := func() { ran.Inc() }
		gate := make(chan struct{})
		p.Go(func() { <-gate; f() })
		p.Go(f)
		accepted.Add(2)
		var wg sync.WaitGroup
		submit := func(i int) {
			defer wg.Done()
			ok := false
			switch i % 3 {
			case 0:
				ok = p.Submit(bg, f) == nil
			case 1:
				ok = panicOf(func() { p.Go(f) }) == nil
			case 2:
				_, err := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { f(); return 0, nil }).Wait(bg)
				ok = err == nil
			}
			if ok {
				accepted.Inc()
			}
		}
		wg.Add(6)
		for i := range 3 {
			go submit(i)
			other.Go(func() { submit(i) })
		}
		if round%2 == 0 {
			go func() { close(gate) }()
			for range rand.IntN(20) {
				runtime.Gosched()
			}
			require.NoError(t, p.Close())
		} else {
			closed := make(chan error)
			go func() { closed <- p.Close() }()
			wg.Wait() // nobody waits for the gate
			close(gate)
			require.NoError(t, <-closed)
		}
		wg.Wait()
		require.Equal(t, accepted.Load(), ran.Load(), round)
	}
}

// submitters submit to p in every way that may be refused until the pool is closed, from
// goroutines and from tasks of other, and count what was accepted and what ran.
func submitters(p, other *lockstep.Pool, goroutines, tasks int) (accepted, ran *atomic.Int64, wait func()) {
	accepted, ran = atomic.NewInt64(0), atomic.NewInt64(0)
	var wg sync.WaitGroup
	f := func() { ran.Inc() }
	child := func() {
		ran.Inc()
		accepted.Inc()
		p.Go(f) // a task of the pool may still start children
	}
	loop := func(i int) {
		defer wg.Done()
		for n := i; ; n++ {
			ok := false
			switch n % 4 {
			case 0:
				ok = p.TryGo(f)
			case 1:
				ok = p.Submit(bg, child) == nil
			case 2:
				_, err := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { f(); return 0, nil }).Wait(bg)
				ok = err == nil
			case 3:
				ok = panicOf(func() { p.Go(f) }) == nil
			}
			if !ok {
				return
			}
			accepted.Inc()
		}
	}
	wg.Add(goroutines + tasks)
	for i := range goroutines {
		go loop(i)
	}
	for i := range tasks {
		other.Go(func() { loop(i) })
	}
	return accepted, ran, wg.Wait
}

// A submission that meets Close is either accepted and run or refused.
func TestD11SubmitAgainstClose(t *testing.T) {
	other := workers(t, 2)
	for round := range rounds(100, 500) {
		opts := []lockstep.Option{lockstep.WithWorkers(1 + round%3), lockstep.WithLockOSThread(round%2 == 0)}
		if round%3 == 0 {
			opts = append(opts, lockstep.WithCapacity(1+round%5))
		}
		p := newPool(t, opts...)
		accepted, ran, wait := submitters(p, other, rounds(6, 20), rounds(2, 4))
		for range rand.IntN(30) {
			runtime.Gosched()
		}
		require.NoError(t, p.Close())
		at := ran.Load()
		wait()
		require.Equal(t, accepted.Load(), ran.Load(), round)
		require.Equal(t, at, ran.Load(), "no task runs after Close has returned")
	}
}
