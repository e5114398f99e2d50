package chans_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
)

// What is sent is received, once, and in order, by whatever methods.
func TestStepChanDelivers(t *testing.T) {
	steps(t, func(t *steptest.T) {
		c := anyKind(t)
		p := newParcels()
		send := func(s int, put func(v int) error) func() {
			return func() {
				for n := 1; n <= 2; n++ {
					require.NoError(t, put(10*s+n))
				}
			}
		}
		try := func(v int) error {
			for {
				if err := c.TrySend(v); err != chans.ErrNotReady { //nolint:errorlint // the very value
					return err
				}
				lockstep.Yield()
			}
		}
		with := func(v int) error { return c.Send(bg, v) }
		receive := func() {
			note := p.receiver(t)
			for v := range c.All(bg) {
				note(v)
			}
		}
		get := func() {
			note := p.receiver(t)
			for v, ok := c.Get(); ok; v, ok = c.Get() {
				note(v)
			}
		}
		tryReceive := func() {
			note := p.receiver(t)
			for {
				switch v, err := c.TryReceive(); err {
				case nil:
					note(v)
				case chans.ErrNotReady:
					lockstep.Yield()
				default:
					return
				}
			}
		}
		second := []func(){get, tryReceive, func() {}}[t.Choose(3)]
		all(receive, second, times(3, func() { require.LessOrEqual(t, c.Len(), max(c.Cap(), 4)) }), func() {
			all(send(1, c.Put), send(2, []func(int) error{with, try}[t.Choose(2)]))
			c.Close()
		})
		require.Len(t, p.got, 4)
		require.Zero(t, c.Len())
	})
}

// No more values are in a channel than it has room for, and those who wait for room get it.
func TestStepChanIsBounded(t *testing.T) {
	steps(t, func(t *steptest.T) {
		c := chans.New[int](1 + t.Choose(2))
		in := 0
		put := func() {
			for range 3 {
				require.NoError(t, c.Put(1))
				in++
			}
		}
		all(put, put, func() {
			for range 6 {
				in--
				_, ok := c.Get()
				require.True(t, ok)
				require.LessOrEqual(t, in, c.Cap())
				require.LessOrEqual(t, c.Len(), c.Cap())
			}
		})
		require.Zero(t, c.Len())
	})
}

// A send that says so has put its value in, and one that says closed has not, whenever the close comes.
func TestStepChanCloseMeetsSend(t *testing.T) {
	steps(t, func(t *steptest.T) {
		c := anyKind(t)
		p := newParcels()
		send := func(s int) func() {
			return func() {
				for n := 1; n <= 2; n++ {
					switch err := c.Put(10*s + n); err {
					case nil:
						p.sent[10*s+n] = true
					default:
						require.ErrorIs(t, err, chans.ErrClosed)
					}
				}
			}
		}
		receive := func() {
			note := p.receiver(t)
			for v, ok := c.Get(); ok; v, ok = c.Get() {
				note(v)
			}
		}
		all(send(1), send(2), receive, c.Close)
		require.Equal(t, p.sent, p.got)
		require.Panics(t, c.Close)
		require.ErrorIs(t, c.Put(1), chans.ErrClosed)
	})
}

// An operation that ends with its context has done nothing, and one that has done something says so.
func TestStepChanContextMeetsOther(t *testing.T) {
	steps(t, func(t *steptest.T) {
		c := anyKind(t)
		p := newParcels()
		ctx, cancel := context.WithCancel(bg)
		send := func(ctx context.Context, s int) func() {
			return func() {
				for n := 1; n <= 2; n++ {
					if err := c.Send(ctx, 10*s+n); err != nil {
						require.ErrorIs(t, err, context.Canceled)
						return
					}
					p.sent[10*s+n] = true
				}
			}
		}
		impatient := func() {
			note := p.receiver(t)
			for v := range c.All(ctx) {
				note(v)
			}
		}
		receive := func() {
			note := p.receiver(t)
			for v := range c.All(bg) {
				note(v)
			}
		}
		all(impatient, receive, cancel, func() {
			all(send(bg, 1), send(ctx, 2))
			c.Close()
		})
		require.Equal(t, p.sent, p.got)
		senders, receivers := chans.Waiting(c)
		require.Zero(t, senders+receivers)
	})
}

// Those who wait are served in the order in which they came.
func TestStepChanServesInOrder(t *testing.T) {
	steps(t, func(t *steptest.T) {
		c := anyKind(t)
		var tasks lockstep.Group
		for n := range 3 {
			tasks.Go(func() error {
				v, ok := c.Get()
				require.True(t, ok)
				require.Equal(t, n, v)
				return nil
			})
			for {
				if _, receivers := chans.Waiting(c); receivers == n+1 {
					break
				}
				lockstep.Yield()
			}
		}
		for n := range 3 {
			require.NoError(t, c.Put(n))
		}
		require.NoError(t, tasks.Wait())
		if c.Cap() < 0 {
			return
		}
		for n := range c.Cap() {
			require.NoError(t, c.Put(n))
		}
		for n := range 3 {
			tasks.Go(func() error { return c.Put(c.Cap() + n) })
			for {
				if senders, _ := chans.Waiting(c); senders == n+1 {
					break
				}
				lockstep.Yield()
			}
		}
		for n := range 3 + c.Cap() {
			v, _ := c.Get()
			require.Equal(t, n, v)
		}
		require.NoError(t, tasks.Wait())
		for n := range 3 * c.Cap() { // nobody waits: through the buffer, round and round
			require.NoError(t, c.Put(n))
			v, _ := c.Get()
			require.Equal(t, n, v)
		}
	})
}

// A forced shutdown ends those who wait, without having sent or received, and the channel goes on.
func TestStepChanAfterForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		pool := t.Pool()
		c := anyKind(t)
		p := newParcels()
		ended := 0
		begun := 0
		for s := 1; s <= 2; s++ {
			pool.Go(func() {
				begun++
				sent := false
				defer func() {
					if ended++; sent {
						p.sent[10*s+1] = true
					}
				}()
				require.NoError(t, c.Put(10*s+1), "without an error to return the wait ends the task")
				sent = true
			})
		}
		pool.Go(func() {
			begun++
			defer func() { ended++ }()
			v, err := c.Receive(bg)
			if err == nil {
				p.receiver(t)(v)
			}
		})
		lockstep.Yield()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		all(func() {
			require.NoError(t, pool.Shutdown(ctx))
			require.NoError(t, c.Put(31))
			p.sent[31] = true
			c.Close()
		}, func() {
			note := p.receiver(t)
			for v, ok := c.Get(); ok; v, ok = c.Get() {
				note(v)
			}
		})
		require.Equal(t, begun, ended)
		for v := range p.sent {
			require.True(t, p.got[v])
		}
		senders, receivers := chans.Waiting(c)
		require.Zero(t, senders+receivers)
	}, steptest.EarlyTimers(false))
}
