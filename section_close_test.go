package lockstep_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// A section that was moved is still part of its task: it may not close the pool, which waits for it.
func TestCloseFromAMovedSectionPanics(t *testing.T) {
	p := workers(t, 1)
	inTask(p, func(context.Context) {
		lockstep.BlockInPlace(func() {
			require.PanicsWithValue(t, "lockstep: Close or Shutdown from a task of the pool, which would wait for itself; call it from a goroutine",
				func() { _ = p.Close() })
		}, move)
	})
	require.NoError(t, p.Close())
}

// And it may start children while the pool closes, as it may in place.
func TestSectionsStartChildrenWhileThePoolCloses(t *testing.T) {
	for _, flag := range []lockstep.BlockOption{move, stay} {
		for _, capacity := range []int{0, 4} {
			opts := []lockstep.Option{lockstep.WithBlockInPlace(false)}
			if capacity > 0 {
				opts = append(opts, lockstep.WithCapacity(capacity))
			}
			p := workers(t, 2, opts...)
			began, gate, closed := make(chan struct{}), make(chan struct{}), make(chan error)
			var ran atomic.Int32
			p.Go(func() {
				lockstep.BlockInPlace(func() {
					close(began)
					<-gate
					for range 3 {
						p.Go(func() { ran.Inc() })
					}
					if capacity == 0 { // else there may be no room
						require.True(t, p.TryGo(func() { ran.Inc() }))
					} else {
						p.Go(func() { ran.Inc() })
					}
				}, flag)
			})
			<-began
			go func() { closed <- p.Close() }()
			until(func() bool { return !p.TryGo(func() {}) })
			close(gate)
			require.NoError(t, <-closed)
			require.Equal(t, int32(4), ran.Load())
		}
	}
}

func TestNilContextsAreRefusedBeforeAnythingHappens(t *testing.T) {
	p := workers(t, 1)
	var none context.Context
	f := func(context.Context) error { t.Error("ran"); return nil }
	for call, do := range map[string]func(){
		"Spawn":    func() { lockstep.Spawn(none, func(context.Context) (int, error) { return 0, f(bg) }) },
		"Run":      func() { _ = p.Run(none, f) },
		"Submit":   func() { _ = p.Submit(none, func() { t.Error("ran") }) },
		"Shutdown": func() { _ = p.Shutdown(none) },
	} {
		require.PanicsWithValue(t, "lockstep: "+call+" with a nil context; use context.Background", do)
	}
	require.NoError(t, p.Run(bg, func(context.Context) error { return nil }), "the pool is still open")
}
