package steptest_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

var moved = lockstep.WithBlockInPlace(true)

// While a section is under way, in place or moved, others go on.
func TestStepSections(t *testing.T) {
	for _, option := range []lockstep.BlockOption{lockstep.WithBlockInPlace(false), moved} {
		require.Equal(t, []string{"bse", "sbe", "seb"}, comesTo(t, func(t *steptest.T) (s string) {
			p := t.Pool()
			p.Go(func() {
				lockstep.BlockInPlace(func() { s += "s" }, option)
				s += "e"
			})
			p.Go(func() { s += "b" })
			require.NoError(t, p.Close())
			return s
		}), option)
	}
}

// One section at a time has the only place of the overflow pool, and the others wait for it in their order.
func TestStepOverflow(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(moved, lockstep.WithOverflow(1))
		running, ran := 0, 0
		var mu tasksync.Mutex
		var c chans.Oneshot[int]
		g, ctx := lockstep.NewGroup(p.Context(t.Context()))
		for i := range 3 {
			g.Go(func() error {
				lockstep.BlockInPlace(func() {
					running++
					require.Equal(t, 1, running)
					mu.Lock()
					lockstep.Yield()
					ran++
					mu.Unlock()
					if i == 0 {
						lockstep.Go(func() { c.Send(ran) })
					}
					running--
				})
				return nil
			})
		}
		require.NoError(t, g.Wait())
		require.Equal(t, 3, ran)
		n, err := c.Receive(context.WithoutCancel(ctx))
		require.NoError(t, err)
		require.Positive(t, n)
		s := p.Stats()
		require.EqualValues(t, 3, s.Overflow.Sections)
		require.EqualValues(t, 3, s.Queues[0].SectionsMoved)
	})
}

func TestStepSectionEnds(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(moved, lockstep.WithOverflow(1))
		ctx := p.Context(t.Context())
		panics := lockstep.Spawn(ctx, func(context.Context) (v any, err error) {
			defer func() { v = recover() }()
			lockstep.BlockInPlace(func() { t.Point("in it"); panic("boom") })
			return nil, nil
		})
		exits := lockstep.Spawn(ctx, func(context.Context) (int, error) {
			lockstep.BlockInPlace(runtime.Goexit)
			return 0, nil
		})
		value := lockstep.Spawn(ctx, func(context.Context) (int, error) {
			return lockstep.BlockInPlaceValue(func() (n int, err error) {
				lockstep.BlockInPlace(func() { n = 7 }) // inside one that is moved it is in place
				return n, nil
			})
		})
		v, err := panics.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, "boom", v)
		_, err = exits.Wait(t.Context())
		require.ErrorIs(t, err, lockstep.ErrGoexit)
		n, err := value.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, 7, n)
		require.NoError(t, p.Close())
	})
}

// A section that waits for a place can be cancelled, one that has begun cannot.
func TestStepSectionCancelled(t *testing.T) {
	cancelled, ran := 0, 0
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(moved, lockstep.WithOverflow(1))
		cause := errors.New("cause")
		ctx, cancel := context.WithCancelCause(t.Context())
		p.Go(func() { lockstep.BlockInPlace(func() { t.Point("first"); t.Point("still") }) })
		begun := false
		var err error
		p.Go(func() { err = lockstep.BlockInPlaceContext(ctx, func() { t.Point("second"); begun = true }) })
		p.Go(func() { cancel(cause) })
		require.NoError(t, p.Close())
		require.Equal(t, begun, err == nil)
		if begun {
			ran++
		} else {
			require.ErrorIs(t, err, cause)
			cancelled++
		}
	})
	require.Positive(t, cancelled)
	require.Positive(t, ran)
}

// A forced shutdown does not cut a section short.
func TestStepSectionInShutdown(t *testing.T) {
	steptest.Run(t, func(t *steptest.T) {
		p := t.Pool(moved)
		begun, ended, after := false, false, false
		p.Go(func() {
			lockstep.BlockInPlace(func() {
				begun = true
				t.Point("in it")
				ended = true
			})
			lockstep.Yield()
			after = true
		})
		t.Point("before")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.NoError(t, p.Shutdown(ctx))
		require.Equal(t, begun, ended)
		_ = after // if the task was over before the shutdown
	})
}
