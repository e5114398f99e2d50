package lockstep_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// lends is how often workers of p have lent their Ps.
func lends(p *lockstep.Pool) (n uint64) {
	for _, w := range p.Stats().Workers {
		n += w.Lends
	}
	return n
}

// Workers that have every P lend theirs to those who use the pool from outside, between the looks that they take at the clock: in Yield, in YieldIfNeeded and from task to task.
func TestBusyWorkersLendTheirPs(t *testing.T) {
	withProcs(t, 1)
	for name, f := range map[string]func(p *lockstep.Pool, stop *atomic.Bool){
		"yield": func(_ *lockstep.Pool, stop *atomic.Bool) {
			for !stop.Load() {
				lockstep.Yield()
			}
		},
		"yield if needed": func(_ *lockstep.Pool, stop *atomic.Bool) {
			for !stop.Load() {
				lockstep.YieldIfNeeded()
			}
		},
		"short tasks": func(p *lockstep.Pool, stop *atomic.Bool) {
			var again func()
			again = func() {
				if !stop.Load() {
					p.Go(again)
				}
			}
			again()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers(t, 1)
			var stop atomic.Bool
			p.Go(func() { f(p, &stop) })
			p.Go(func() { f(p, &stop) })
			until(func() bool { return p.Run(bg, func(context.Context) error { return nil }) == nil && lends(p) > 3 })
			stop.Store(true)
			require.NoError(t, p.Close())
		})
	}
}

// Nothing is lent where nobody outside uses the pool, or where a P is to spare.
func TestNothingIsLentWithoutNeed(t *testing.T) {
	t.Run("nobody", func(t *testing.T) {
		withProcs(t, 1)
		p := workers(t, 1)
		p.Go(func() {
			yields := func() uint64 {
				for began := time.Now(); time.Since(began) < 40*time.Millisecond; {
					lockstep.Yield()
				}
				return lends(p)
			}
			before := yields()
			for now := yields(); now != before; now = yields() { // until the use by Go is forgotten
				before = now
			}
		})
		require.NoError(t, p.Close())
	})
	t.Run("spare", func(t *testing.T) {
		withProcs(t, 4) // more than the worker, and helpers that it may get
		p := workers(t, 1)
		p.Go(func() {
			for range 300_000 {
				lockstep.Yield()
			}
		})
		for range 1000 {
			p.Go(nothing)
			runtime.Gosched()
		}
		require.NoError(t, p.Close())
		require.Zero(t, lends(p))
	})
}
