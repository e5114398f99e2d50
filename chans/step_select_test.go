package chans_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
)

// Two selects that could serve each other in two ways do so in one.
func TestStepSelectsServeEachOther(t *testing.T) {
	steps(t, func(t *steptest.T) {
		a, b := chans.New[int](0), chans.New[int](0)
		sent, got := 0, 0
		first := func() {
			_, err := chans.Select(bg,
				chans.Send(a, 1, func() { sent += 1 }),
				chans.Recv(b, func(v int, ok bool) { require.True(t, ok); got += v }))
			require.NoError(t, err)
		}
		second := func() {
			_, err := chans.Select(bg,
				chans.Send(b, 2, func() { sent += 2 }),
				chans.Recv(a, func(v int, ok bool) { require.True(t, ok); got += v }))
			require.NoError(t, err)
		}
		all(first, second)
		require.Equal(t, sent, got)
		require.Contains(t, []int{1, 2}, sent)
	})
}

// Several selects and plain operations at the same channels, of any kind, pass each value on once.
func TestStepSelectDelivers(t *testing.T) {
	steps(t, func(t *steptest.T) {
		a, b := anyKind(t), anyKind(t)
		p := newParcels()
		send := func(s int) func() {
			return func() {
				sent := 0
				ca, cb := chans.Send(a, 10*s+1, nil), chans.Send(b, 10*s+2, nil)
				for sent != 3 {
					cases := [][]chans.Case{{ca, cb}, {cb}, {ca}}[sent]
					i, err := chans.Select(bg, cases...)
					require.NoError(t, err)
					if cases[i] == ca {
						sent |= 1
					} else {
						sent |= 2
					}
				}
			}
		}
		note := func(v int) {
			require.False(t, p.got[v])
			p.got[v] = true
		}
		receive := func() {
			ra, rb := chans.Recv(a, func(v int, ok bool) { note(v) }), chans.Recv(b, func(v int, ok bool) { note(v) })
			for range 2 {
				_, err := chans.Select(bg, ra, rb)
				require.NoError(t, err)
			}
		}
		plain := func() {
			for range 2 {
				for {
					v, err := a.TryReceive()
					if err != nil {
						v, err = b.TryReceive()
					}
					if err == nil {
						note(v)
						break
					}
					t.Point("again")
					if _, err := chans.Select(bg, chans.Recv(a, func(v int, _ bool) { note(v) }), chans.Recv(b, func(v int, _ bool) { note(v) })); err == nil {
						break
					}
				}
			}
		}
		all(send(1), send(2), receive, []func(){receive, plain}[t.Choose(2)])
		require.Len(t, p.got, 4)
		for _, c := range []*chans.Chan[int]{a, b} {
			senders, receivers := chans.Waiting(c)
			require.Zero(t, senders+receivers)
		}
	})
}

// A select that ends otherwise, by After, Default or its context, has taken no value.
func TestStepSelectEndsOtherwise(t *testing.T) {
	steps(t, func(t *steptest.T) {
		a, b := anyKind(t), chans.New[int](0)
		ctx, cancel := context.WithCancel(bg)
		got, ended := 0, false
		recv := chans.Recv(a, func(v int, _ bool) { got += v })
		other := []chans.Case{chans.After(time.Second, func() { ended = true }), chans.Default(func() { ended = true }), chans.Recv(b, nil)}[t.Choose(3)]
		all(func() {
			i, err := chans.Select(ctx, recv, other)
			if err != nil {
				require.ErrorIs(t, err, context.Canceled)
				require.Equal(t, -1, i)
			}
			require.Equal(t, i == 1, ended)
			require.Equal(t, i == 0, got == 1)
			if i != 0 {
				v, err := a.Receive(bg)
				require.NoError(t, err)
				got += v
			}
		}, func() { require.NoError(t, a.Put(1)) }, cancel)
		require.Equal(t, 1, got)
		_, receivers := chans.Waiting(b)
		require.Zero(t, receivers)
	}, steptest.EarlyTimers(true))
}

// A select learns of a close, and a send in it, that is refused, has not been received.
func TestStepSelectMeetsClose(t *testing.T) {
	steps(t, func(t *steptest.T) {
		c, never, neverSent := anyKind(t), chans.New[int](0), chans.New[int](0)
		p := newParcels()
		closed := 0
		receive := func() {
			for {
				ended := false
				_, err := chans.Select(bg, chans.Recv(never, nil), chans.Recv(c, func(v int, ok bool) {
					if ended = !ok; ok {
						p.got[v] = true
					}
				}))
				require.NoError(t, err)
				if ended {
					closed++
					return
				}
			}
		}
		send := func() {
			defer func() { closed++ }()
			switch _, err := chans.Select(bg, chans.Send(neverSent, 0, nil), chans.Send(c, 11, func() { p.sent[11] = true })); err {
			case nil:
			default:
				require.ErrorIs(t, err, chans.ErrClosed)
			}
		}
		all(send, c.Close, receive, receive)
		require.Equal(t, 3, closed)
		require.Equal(t, p.sent, p.got)
	})
}

// Cases may be used again after a select, and not by two at the same time.
func TestStepSelectCasesAreForOne(t *testing.T) {
	steps(t, func(t *steptest.T) {
		a, b := chans.New[int](0), chans.New[int](0)
		got, panics := 0, 0
		recv, other := chans.Recv(a, func(int, bool) { got++ }), chans.Recv(b, nil)
		use := func() {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			_, err := chans.Select(bg, recv, other)
			require.NoError(t, err)
		}
		all(use, use, func() {
			require.NoError(t, a.Put(1))
			for panics+got < 2 {
				if a.TrySend(1) != nil {
					t.Point("again")
				}
			}
		})
		require.Equal(t, 2, got+panics)
	})
}

// Channels that are made at the same time have an order too: selects of both never wait for each other's locks.
func TestStepSelectOfChannelsMadeAtTheSameTime(t *testing.T) {
	steps(t, func(t *steptest.T) {
		made := chans.New[int]
		if t.Choose(2) == 1 {
			made = func(int) *chans.Chan[int] { return chans.Unbounded[int]() }
		}
		var a, b *chans.Chan[int]
		all(func() { a = made(0) }, func() { b = made(0) })
		got := 0
		receive := func(cs ...*chans.Chan[int]) func() {
			return func() {
				_, err := chans.Select(bg, chans.Recv(cs[0], func(v int, _ bool) { got += v }), chans.Recv(cs[1], func(v int, _ bool) { got += v }))
				require.NoError(t, err)
			}
		}
		all(receive(a, b), receive(b, a), func() { require.NoError(t, a.Put(1)); require.NoError(t, b.Put(2)) })
		require.Equal(t, 3, got)
	})
}
