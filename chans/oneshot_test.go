package chans_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

func TestOneshot(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		start := []func(func()){p.Go, func(f func()) { go f() }}
		for i := range 400 {
			var o chans.Oneshot[int]
			send := func() { o.Send(i) }
			if i%4 == 3 {
				send = o.Close
			}
			type end struct {
				v   int
				err error
			}
			ends := make(chan end, 1)
			start[i%2](send)
			start[i/2%2](func() { v, err := o.Receive(bg); ends <- end{v, err} })
			if i%4 == 3 {
				require.Equal(t, end{0, chans.ErrClosed}, <-ends)
			} else {
				require.Equal(t, end{i, nil}, <-ends)
			}
			_, err := o.Receive(bg)
			require.ErrorIs(t, err, chans.ErrClosed, "it is received once")
		}
	})
}

// The context ends at the moment of the hand-over: either Receive returns the value, or a later one does.
func TestOneshotContext(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		cause := errors.New("enough")
		for i := range 300 {
			var o chans.Oneshot[int]
			ctx, cancel := context.WithCancelCause(bg)
			done := make(chan struct{})
			p.Go(func() {
				defer close(done)
				v, err := o.Receive(ctx)
				if err != nil {
					require.ErrorIs(t, err, cause)
					v, err = o.Receive(bg)
				}
				require.NoError(t, err)
				require.Equal(t, i, v)
			})
			if i%3 == 0 {
				until(func() bool { _, err := o.TryReceive(); return errors.Is(err, chans.ErrNotReady) })
			}
			end := time.AfterFunc(time.Duration(i%9)*3*time.Microsecond, func() { cancel(cause) })
			if i%2 == 0 {
				p.Go(func() { o.Send(i) })
			} else {
				o.Send(i)
			}
			<-done
			end.Stop()
			cancel(nil)
		}
	})
}

func TestOneshotMisuse(t *testing.T) {
	var o chans.Oneshot[int]
	_, err := o.TryReceive()
	require.ErrorIs(t, err, chans.ErrNotReady)
	o.Send(1)
	require.PanicsWithValue(t, "lockstep: Oneshot.Send after Send or Close; make a new Oneshot for each value", func() { o.Send(2) })
	o.Close()
	v, err := o.TryReceive()
	require.NoError(t, err)
	require.Equal(t, 1, v)
	var closed chans.Oneshot[int]
	closed.Close()
	require.PanicsWithValue(t, "lockstep: Oneshot.Close twice", closed.Close)
	require.Panics(t, func() { closed.Send(1) })
	ctx, cancel := context.WithCancel(bg)
	cancel()
	var empty chans.Oneshot[int]
	_, err = empty.Receive(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
