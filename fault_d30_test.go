package lockstep_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// yields are the calls that give way, which may be made anywhere.
var yields = map[string]func(){
	"Yield":         lockstep.Yield,
	"YieldIfNeeded": lockstep.YieldIfNeeded,
	"NeedYield":     func() { _ = lockstep.NeedYield() },
	"Sleep":         func() { _ = lockstep.Sleep(bg, time.Microsecond) },
	"Run":           func() { _ = lockstep.Run(bg, func(context.Context) error { return nil }) },
	"BlockInPlace":  func() { lockstep.BlockInPlace(nothing) },
}

// Every call that gives way returns from every place, although the worker, the place in the overflow pool and the helper that
// there is not are all the same one.
func TestD30YieldsFromEveryPlace(t *testing.T) {
	for name, yield := range yields {
		for _, o := range []lockstep.BlockOption{move, stay} {
			t.Run(name, func(t *testing.T) {
				p := still(t, 1, lockstep.WithOverflow(1), lockstep.WithBlockInPlace(o == move))
				other := still(t, 1)
				useDefault(t, other)
				calls := 0
				call := func() { yield(); calls++ }
				call()
				inTask(p, func(context.Context) {
					call()
					lockstep.BlockInPlace(call, o)
					lockstep.BlockInPlace(func() { lockstep.BlockInPlace(call, o) }, stay)
					lockstep.BlockInPlace(func() { lockstep.BlockInPlace(call, o) }, move)
					lockstep.BlockInPlace(func() { outside(call) }, o)
					fired := make(chan struct{})
					time.AfterFunc(1, func() { call(); close(fired) })
					<-fired
					inTask(other, func(context.Context) { call() })
					lockstep.BlockInPlace(func() { inTask(other, func(context.Context) { call() }) }, o)
				})
				p.Go(func() { // and when the pool is closing
					untilClosed(p)
					call()
					lockstep.BlockInPlace(call, o)
				})
				require.NoError(t, p.Close())
				require.Equal(t, 11, calls)
			})
		}
	}
}
