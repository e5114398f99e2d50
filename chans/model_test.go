package chans_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// operation is a Send or Receive that runs in a task or goroutine.
type operation struct {
	v      int // sent, or to be received
	cancel context.CancelFunc
	result chan result
}

type result struct {
	v   int
	err error
}

// model is a channel as a list of values and two of waiting operations.
type model struct {
	t         *rapid.T
	p         *lockstep.Pool
	c         *chans.Chan[int]
	capacity  int // -1: unbounded
	closed    bool
	buffer    []int
	senders   []*operation
	receivers []*operation
	next      int
}

func (m *model) start(f func(ctx context.Context) result) *operation {
	ctx, cancel := context.WithCancel(bg)
	op := &operation{cancel: cancel, result: make(chan result, 1)}
	run := func() { op.result <- f(ctx) }
	if rapid.Bool().Draw(m.t, "task") {
		m.p.Go(run)
	} else {
		go run()
	}
	return op
}

func (m *model) ends(op *operation, v int, err error) {
	require.Equal(m.t, result{v, err}, <-op.result)
	op.cancel()
}

func (m *model) room() bool { return m.capacity < 0 || len(m.buffer) < m.capacity }

func (m *model) Send(*rapid.T) {
	v := m.next
	m.next++
	op := m.start(func(ctx context.Context) result { return result{0, m.c.Send(ctx, v)} })
	op.v = v
	switch {
	case m.closed:
		m.ends(op, 0, chans.ErrClosed)
	case len(m.receivers) > 0:
		m.ends(op, 0, nil)
		m.ends(m.receivers[0], v, nil)
		m.receivers = m.receivers[1:]
	case m.room():
		m.ends(op, 0, nil)
		m.buffer = append(m.buffer, v)
	default:
		m.senders = append(m.senders, op)
	}
}

// took is what the model's channel gives up, after the oldest value has been taken.
func (m *model) took() (v int, ok bool) {
	switch {
	case len(m.buffer) > 0:
		v, m.buffer = m.buffer[0], m.buffer[1:]
		if len(m.senders) > 0 {
			m.ends(m.senders[0], 0, nil)
			m.buffer = append(m.buffer, m.senders[0].v)
			m.senders = m.senders[1:]
		}
	case len(m.senders) > 0:
		v = m.senders[0].v
		m.ends(m.senders[0], 0, nil)
		m.senders = m.senders[1:]
	default:
		return 0, false
	}
	return v, true
}

func (m *model) Receive(*rapid.T) {
	op := m.start(func(ctx context.Context) result {
		v, err := m.c.Receive(ctx)
		return result{v, err}
	})
	switch {
	case len(m.buffer)+len(m.senders) > 0:
		got := <-op.result
		op.cancel()
		v, _ := m.took()
		require.Equal(m.t, result{v, nil}, got)
	case m.closed:
		m.ends(op, 0, chans.ErrClosed)
	default:
		m.receivers = append(m.receivers, op)
	}
}

func (m *model) TrySend(*rapid.T) {
	v := m.next
	m.next++
	err := m.c.TrySend(v)
	switch {
	case m.closed:
		require.ErrorIs(m.t, err, chans.ErrClosed)
	case len(m.receivers) > 0:
		require.NoError(m.t, err)
		m.ends(m.receivers[0], v, nil)
		m.receivers = m.receivers[1:]
	case m.room():
		require.NoError(m.t, err)
		m.buffer = append(m.buffer, v)
	default:
		require.ErrorIs(m.t, err, chans.ErrNotReady)
	}
}

func (m *model) TryReceive(*rapid.T) {
	v, err := m.c.TryReceive()
	want, ok := m.took()
	switch {
	case ok:
		require.NoError(m.t, err)
		require.Equal(m.t, want, v)
	case m.closed:
		require.ErrorIs(m.t, err, chans.ErrClosed)
	default:
		require.ErrorIs(m.t, err, chans.ErrNotReady)
	}
}

func (m *model) Cancel(*rapid.T) {
	list := &m.senders
	if len(m.senders) == 0 {
		list = &m.receivers
	}
	if len(*list) == 0 {
		return
	}
	i := rapid.IntRange(0, len(*list)-1).Draw(m.t, "which")
	op := (*list)[i]
	op.cancel()
	m.ends(op, 0, context.Canceled)
	*list = slices.Delete(*list, i, i+1)
}

func (m *model) Close(*rapid.T) {
	if m.closed || rapid.IntRange(0, 3).Draw(m.t, "now") > 0 {
		return
	}
	m.c.Close()
	m.closed = true
	for _, op := range append(m.senders, m.receivers...) {
		m.ends(op, 0, chans.ErrClosed)
	}
	m.senders, m.receivers = nil, nil
}

// check is called after each step: the channel has come to rest as the model has.
func (m *model) check(t *rapid.T) {
	waiting(m.c, len(m.senders), len(m.receivers))
	require.Equal(t, len(m.buffer), m.c.Len())
}

func TestModel(t *testing.T) {
	for _, locked := range []bool{true, false} {
		p := mixed(t, 2, locked)
		rapid.Check(t, func(t *rapid.T) {
			m := &model{t: t, p: p, capacity: rapid.SampledFrom(kinds[:6]).Draw(t, "capacity")}
			m.c = newChan(m.capacity)
			t.Repeat(map[string]func(*rapid.T){
				"": m.check, "send": m.Send, "receive": m.Receive, "trySend": m.TrySend,
				"tryReceive": m.TryReceive, "cancel": m.Cancel, "close": m.Close,
			})
			for _, op := range append(m.senders, m.receivers...) {
				op.cancel()
				<-op.result
			}
		})
	}
}

// A script of operations that do not wait gives the same with a native channel.
func FuzzAgainstNative(f *testing.F) {
	f.Add(uint8(3), []byte{0, 0, 0, 0, 1, 1, 0, 2, 1, 1, 1, 1, 0})
	f.Add(uint8(0), []byte{0, 1, 2, 1, 0})
	f.Add(uint8(1), []byte{0, 1, 0, 1, 0, 0, 1, 1, 2, 2})
	f.Fuzz(func(t *testing.T, capacity uint8, script []byte) {
		native, c := make(chan int, capacity), chans.New[int](int(capacity))
		closed := false
		for i, op := range script {
			switch op % 3 {
			case 0:
				err := c.TrySend(i)
				if closed {
					require.ErrorIs(t, err, chans.ErrClosed)
					continue
				}
				select {
				case native <- i:
					require.NoError(t, err)
				default:
					require.ErrorIs(t, err, chans.ErrNotReady)
				}
			case 1:
				v, err := c.TryReceive()
				select {
				case want, ok := <-native:
					require.Equal(t, want, v)
					if ok {
						require.NoError(t, err)
					} else {
						require.ErrorIs(t, err, chans.ErrClosed)
					}
				default:
					require.ErrorIs(t, err, chans.ErrNotReady)
				}
			case 2:
				if !closed && op > 128 {
					close(native)
					c.Close()
					closed = true
				}
			}
			require.Equal(t, len(native), c.Len())
			require.Equal(t, cap(native), c.Cap())
		}
	})
}
