package steptest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// A race is found although the result is right in every schedule: both store the same.
func TestVarRace(t *testing.T) {
	r := outcome("TestVarRace", func(*steptest.T) {
		var v steptest.Var[int]
		var wg tasksync.WaitGroup
		for range 2 {
			wg.Go(func() { v.Store(1) })
		}
		wg.Wait()
	}, steptest.Schedules(1))
	require.True(t, r.failed)
	require.Contains(t, r.text, "data race: a Store of a Var by t")
}

func TestVarLostUpdate(t *testing.T) {
	r := outcome("TestVarLostUpdate", func(t *steptest.T) {
		var v steptest.Var[int]
		var mu tasksync.Mutex
		var wg tasksync.WaitGroup
		for range 2 {
			wg.Go(func() {
				mu.Lock()
				x := v.Load()
				mu.Unlock()
				mu.Lock()
				v.Store(x + 1)
				mu.Unlock()
			})
		}
		wg.Wait()
		require.Equal(t, 2, v.Load())
	})
	require.True(t, r.failed)
	require.NotContains(t, r.text, "data race", "the lock orders the accesses")
}

// What the library orders is no race, in no schedule.
func TestVarOrdered(t *testing.T) {
	type program struct {
		name string
		f    func(v *steptest.Var[int])
	}
	for _, p := range []program{
		{"spawn", func(v *steptest.Var[int]) {
			v.Store(1)
			lockstep.Go(func() { v.Load() })
		}},
		{"mutex", func(v *steptest.Var[int]) {
			var mu tasksync.Mutex
			for range 3 {
				lockstep.Go(func() { mu.Lock(); v.Store(v.Load() + 1); mu.Unlock() })
			}
		}},
		{"rwmutex", func(v *steptest.Var[int]) {
			var mu tasksync.RWMutex
			lockstep.Go(func() { mu.Lock(); v.Store(v.Load() + 1); mu.Unlock() })
			for range 2 {
				lockstep.Go(func() { mu.RLock(); v.Load(); mu.RUnlock() })
			}
		}},
		{"condition", func(v *steptest.Var[int]) {
			var mu tasksync.Mutex
			c := tasksync.NewCond(&mu)
			ready := false
			lockstep.Go(func() { v.Store(1); mu.Lock(); ready = true; mu.Unlock(); c.Signal() })
			lockstep.Go(func() {
				mu.Lock()
				for !ready {
					c.Wait()
				}
				mu.Unlock()
				v.Store(2)
			})
		}},
		{"channel", func(v *steptest.Var[int]) {
			c := chans.New[int](1)
			lockstep.Go(func() { v.Store(1); _ = c.Put(1) })
			lockstep.Go(func() { c.Get(); v.Store(2) })
		}},
		{"select", func(v *steptest.Var[int]) {
			c, d := chans.New[int](0), chans.New[int](0)
			lockstep.Go(func() { v.Store(1); _ = c.Put(1) })
			lockstep.Go(func() { _, _ = chans.Select(context.Background(), chans.Recv(c, nil), chans.Recv(d, nil)); v.Store(2) })
		}},
		{"group", func(v *steptest.Var[int]) {
			var g lockstep.Group
			g.Go(func() error { v.Store(1); return nil })
			_ = g.Wait()
			v.Store(2)
		}},
		{"timer", func(v *steptest.Var[int]) {
			v.Store(1)
			lockstep.AfterFunc(time.Second, func() { v.Store(2) })
			_ = lockstep.Sleep(context.Background(), time.Minute)
		}},
		{"atomic", func(v *steptest.Var[int]) {
			var flag steptest.Atomic[bool]
			lockstep.Go(func() { v.Store(1); flag.Store(true) })
			lockstep.Go(func() {
				if flag.Load() {
					v.Store(2)
				}
			})
		}},
	} {
		t.Run(p.name, func(t *testing.T) {
			steptest.Run(t, func(*steptest.T) {
				var v steptest.Var[int]
				p.f(&v)
			}, steptest.NoCorpus())
		})
	}
}
