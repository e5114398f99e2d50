package lockstep_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// The worker falls asleep at any moment of the next call.
func TestD18PingFromOutside(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		for _, locked := range []bool{true, false} {
			t.Run(fmt.Sprint(procs, " procs, locked ", locked), func(t *testing.T) {
				withProcs(t, procs)
				p := workers(t, 1, lockstep.WithLockOSThread(locked))
				ctx := p.Context(bg)
				for i := range rounds(1000, 100_000) {
					v, err := lockstep.Spawn(ctx, func(context.Context) (int, error) { return i, nil }).Wait(bg)
					if err != nil || v != i {
						t.Fatal(v, err)
					}
					for range rand.IntN(2000) { // the worker falls asleep at any moment of the next ping
						runtime.KeepAlive(i)
					}
				}
			})
		}
	}
}

// Workers end before they have slept for the first time, while they fall asleep, and after that.
func TestD18CloseAtOnce(t *testing.T) {
	for i := range rounds(500, 10_000) {
		p, err := lockstep.New(lockstep.WithWorkers(1+i%3), lockstep.WithLockOSThread(i%2 == 0))
		require.NoError(t, err)
		require.NoError(t, p.Close())
	}
}

// Pools that feed one another fall asleep and are woken by one another.
func TestD18PoolsInARing(t *testing.T) {
	for _, locked := range []bool{true, false} {
		var pools []*lockstep.Pool
		for i := range 4 {
			pools = append(pools, workers(t, 1+i%2, lockstep.WithLockOSThread(locked)))
		}
		const tokens = 20
		hops := rounds(300, 10_000)
		var wg sync.WaitGroup
		wg.Add(tokens)
		for i := range tokens {
			var hop func(n int)
			hop = func(n int) {
				switch {
				case n == hops:
					wg.Done()
				case (n+i)%3 == 0: // by a call, whose way back is a wake
					_ = pools[(n+1)%4].Run(bg, func(context.Context) error { lockstep.Yield(); return nil })
					fallthrough
				default:
					pools[(n+1)%4].Go(func() { hop(n + 1) })
				}
			}
			pools[i%4].Go(func() { hop(i % 4) })
		}
		wg.Wait()
	}
}
