package chans_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// kinds are channels of each kind; -1 stands for unbounded.
var kinds = []int{-1, 0, 1, 2, 3, 5, 64}

func newChan(capacity int) *chans.Chan[int] {
	if capacity < 0 {
		return chans.Unbounded[int]()
	}
	return chans.New[int](capacity)
}

// eachKind runs f for a channel of each kind.
func eachKind(t *testing.T, f func(t *testing.T, capacity int)) {
	for _, capacity := range kinds {
		t.Run(fmt.Sprint("cap=", capacity), func(t *testing.T) { f(t, capacity) })
	}
}

// waiting waits until so many operations wait in c.
func waiting(c *chans.Chan[int], senders, receivers int) {
	until(func() bool {
		s, r := chans.Waiting(c)
		return s == senders && r == receivers
	})
}

func TestCloseLetsReceiversDrain(t *testing.T) {
	for _, capacity := range []int{-1, 3} {
		c := newChan(capacity)
		for i := range 3 {
			require.NoError(t, c.Put(i))
		}
		require.Equal(t, 3, c.Len())
		c.Close()
		require.ErrorIs(t, c.Put(9), chans.ErrClosed)
		require.ErrorIs(t, c.TrySend(9), chans.ErrClosed)
		require.ErrorIs(t, c.Send(bg, 9), chans.ErrClosed)
		for i := range 3 {
			v, ok := c.Get()
			require.True(t, ok)
			require.Equal(t, i, v)
		}
		_, ok := c.Get()
		require.False(t, ok)
		_, err := c.Receive(bg)
		require.ErrorIs(t, err, chans.ErrClosed)
		_, err = c.TryReceive()
		require.ErrorIs(t, err, chans.ErrClosed)
	}
}

func TestClosePanicsTheSecondTime(t *testing.T) {
	eachKind(t, func(t *testing.T, capacity int) {
		c := newChan(capacity)
		c.Close()
		require.PanicsWithValue(t, "lockstep: close of a closed channel; only one owner may close it, once", c.Close)
		require.ErrorIs(t, c.TrySend(1), chans.ErrClosed, "the lock is free")
	})
	require.Panics(t, func() { chans.New[int](-1) })
}

func TestCloseEndsWaits(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		for _, capacity := range []int{0, 2} {
			c := newChan(capacity)
			for i := range capacity {
				require.NoError(t, c.Put(i))
			}
			errs := make(chan error, 20)
			for i := range 10 {
				p.Go(func() { errs <- c.Put(100 + i) })
				go func() { errs <- c.Send(bg, 200+i) }()
			}
			waiting(c, 20, 0)
			c.Close()
			for range 20 {
				require.ErrorIs(t, <-errs, chans.ErrClosed)
			}
			for i := range capacity {
				v, ok := c.Get()
				require.True(t, ok)
				require.Equal(t, i, v)
			}
			_, ok := c.Get()
			require.False(t, ok)

			c = newChan(capacity)
			for range 10 {
				p.Go(func() { _, err := c.Receive(bg); errs <- err })
				go func() { _, err := c.Receive(bg); errs <- err }()
			}
			waiting(c, 0, 20)
			c.Close()
			for range 20 {
				require.ErrorIs(t, <-errs, chans.ErrClosed)
			}
		}
	})
}

// With capacity 0 a Put returns only when its Get has come.
func TestRendezvous(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		c := chans.New[int](0)
		require.ErrorIs(t, c.TrySend(1), chans.ErrNotReady)
		_, err := c.TryReceive()
		require.ErrorIs(t, err, chans.ErrNotReady)
		var sent atomic.Bool
		done := make(chan struct{})
		p.Go(func() {
			_ = c.Put(1)
			sent.Store(true)
			close(done)
		})
		waiting(c, 1, 0)
		inTask(p, lockstep.Yield)
		require.False(t, sent.Load())
		v, err := c.TryReceive()
		require.NoError(t, err)
		require.Equal(t, 1, v)
		<-done
		require.Zero(t, c.Len())
		require.Zero(t, c.Cap())
	})
}

// Senders that wait are served in the order in which they came, after what is in the buffer.
func TestOrderOfWaits(t *testing.T) {
	p := workers(t, 1)
	for _, capacity := range []int{0, 1, 3} {
		c := newChan(capacity)
		for i := range capacity + 10 {
			p.Go(func() { _ = c.Put(i) })
			if i >= capacity {
				waiting(c, i-capacity+1, 0)
			} else {
				until(func() bool { return c.Len() == i+1 })
			}
		}
		require.Equal(t, capacity, c.Len())
		for i := range capacity + 10 {
			v, err := c.TryReceive()
			require.NoError(t, err)
			require.Equal(t, i, v)
		}

		got := make([]atomic.Int64, 10)
		for i := range got {
			p.Go(func() { v, _ := c.Get(); got[i].Store(int64(v) + 1) })
			waiting(c, 0, i+1)
		}
		for i := range got {
			require.NoError(t, c.TrySend(i))
		}
		for i := range got {
			until(func() bool { return got[i].Load() == int64(i)+1 })
		}
	}
}

// A wait that ends by its context leaves the channel as if it had not been: others go on behind it.
func TestContextEndsWaits(t *testing.T) {
	cause := errors.New("enough")
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		eachKind(t, func(t *testing.T, capacity int) {
			c := newChan(capacity)
			ctx, cancel := context.WithCancelCause(bg)
			errs := make(chan error, 4)
			for range 2 {
				p.Go(func() { _, err := c.Receive(ctx); errs <- err })
				go func() { _, err := c.Receive(ctx); errs <- err }()
			}
			waiting(c, 0, 4)
			got := make(chan int)
			go func() { v, _ := c.Get(); got <- v }()
			waiting(c, 0, 5)
			cancel(cause)
			for range 4 {
				require.ErrorIs(t, <-errs, cause)
			}
			waiting(c, 0, 1)
			require.NoError(t, c.Put(7))
			require.Equal(t, 7, <-got)
			_, err := c.Receive(ctx)
			require.ErrorIs(t, err, cause)
			require.ErrorIs(t, c.Send(ctx, 1), cause)
			if capacity < 0 {
				return
			}
			ctx, cancel = context.WithCancelCause(bg)
			for i := range capacity {
				require.NoError(t, c.Put(i))
			}
			for range 2 {
				p.Go(func() { errs <- c.Send(ctx, -1) })
				go func() { errs <- c.Send(ctx, -1) }()
			}
			waiting(c, 4, 0)
			go func() { errs <- c.Put(capacity) }()
			waiting(c, 5, 0)
			cancel(cause)
			for range 4 {
				require.ErrorIs(t, <-errs, cause)
			}
			for i := range capacity + 1 {
				v, err := c.TryReceive()
				require.NoError(t, err)
				require.Equal(t, i, v)
			}
			require.NoError(t, <-errs)
		})
	})
}

func TestAll(t *testing.T) {
	c := chans.New[int](10)
	for i := range 10 {
		require.NoError(t, c.Put(i))
	}
	var got []int
	for v := range c.All(bg) {
		got = append(got, v)
		if v == 4 {
			break
		}
	}
	require.Equal(t, []int{0, 1, 2, 3, 4}, got)
	require.Equal(t, 5, c.Len(), "breaking off takes nothing more")
	c.Close()
	for v := range c.All(bg) {
		got = append(got, v)
	}
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got)

	c = chans.New[int](1)
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	require.NoError(t, c.Put(1))
	for range c.All(ctx) {
		require.NoError(t, c.Put(2))
		cancel()
	}
	require.Error(t, ctx.Err())
	require.Equal(t, 1, c.Len())
}

// A ring is used over many laps; an odd capacity makes the end of a lap no power of two.
func TestLaps(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 5, 7, 8} {
		c := newChan(capacity)
		in, out := 0, 0
		for round := range 1000 {
			for range round % (capacity + 1) {
				require.NoError(t, c.TrySend(in))
				in++
			}
			require.Equal(t, in-out, c.Len())
			if c.Len() == capacity {
				require.ErrorIs(t, c.TrySend(0), chans.ErrNotReady)
			}
			for range round % (capacity + 1) {
				v, err := c.TryReceive()
				require.NoError(t, err)
				require.Equal(t, out, v)
				out++
			}
			_, err := c.TryReceive()
			require.ErrorIs(t, err, chans.ErrNotReady)
		}
	}
}

// An unbounded channel gives its memory back, and a channel does not keep what was received.
func TestD28MemoryIsGivenBack(t *testing.T) {
	c := chans.Unbounded[*[1000]byte]()
	before := heap()
	const n = 100_000
	for range n {
		require.NoError(t, c.Put(nil))
	}
	require.Equal(t, n, c.Len())
	require.Less(t, heap()-before, int64(n*16), "two words a value")
	for range n {
		c.Get()
	}
	require.Less(t, heap()-before, int64(64<<10))

	freed := make(chan bool, 300)
	for _, c := range []*chans.Chan[*[1000]byte]{c, chans.New[*[1000]byte](150)} {
		for range 150 {
			v := new([1000]byte)
			runtime.AddCleanup(v, func(int) { freed <- true }, 0)
			require.NoError(t, c.Put(v))
		}
		for range 150 {
			c.Get()
		}
		for range 150 {
			until(func() bool { runtime.GC(); return len(freed) > 0 })
			<-freed
		}
		runtime.KeepAlive(c)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A wait uses a node that the channel keeps; only with a context that can end it allocates.
func TestWaitsDoNotAllocate(t *testing.T) {
	p := workers(t, 1)
	c := chans.New[int](0)
	allocs := -1.0
	stop := make(chan struct{})
	tasks(p, func() {
		for {
			if _, ok := c.Get(); !ok {
				close(stop)
				return
			}
		}
	}, func() {
		allocs = testing.AllocsPerRun(1000, func() { _ = c.Put(1) })
		c.Close()
	})
	<-stop
	require.Zero(t, allocs)
}
