package lockstep_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// ledger is a state that notes what happens to it.
type ledger struct {
	number, thread int
	n              int
	closedOn       int
}

func sharded(t testing.TB, p *lockstep.Pool, closing func(*ledger)) *lockstep.Sharded[*ledger] {
	t.Helper()
	s, err := lockstep.NewSharded(p.TaskQueue(lockstep.DefaultQueue), func(i int) *ledger {
		return &ledger{number: i, thread: gettid()}
	}, closing)
	require.NoError(t, err)
	return s
}

func TestStatesAreMadeUsedAndClosedOnTheirThreads(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	var mu sync.Mutex
	var closed []*ledger
	s := sharded(t, p, func(l *ledger) {
		l.closedOn = gettid()
		mu.Lock()
		defer mu.Unlock()
		closed = append(closed, l)
	})
	require.Equal(t, 3, s.Shards())
	var wrong atomic.Int32
	b := s.Batch()
	for i := range 3000 {
		b.To(i%3, func(l *ledger) {
			if l.number != i%3 || l.thread != gettid() {
				wrong.Inc()
			}
			l.n++
		})
	}
	b.Send()
	for i := range 3 {
		require.NoError(t, s.Do(bg, i, func(_ context.Context, l *ledger) error {
			if l.n != 1000 {
				return errors.New("an operation is missing")
			}
			return nil
		}))
	}
	s.Send(1, func(l *ledger) { lockstep.Yield(); l.n++ })
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.Zero(t, wrong.Load())
	require.Len(t, closed, 3)
	threads := map[int]bool{}
	for _, l := range closed {
		require.Equal(t, l.thread, l.closedOn)
		threads[l.thread] = true
		if l.number == 1 {
			require.Equal(t, 1001, l.n, "Close waits for what was sent")
		}
	}
	require.Len(t, threads, 3)
}

func TestShardedOrderOfOneSender(t *testing.T) {
	p := workers(t, 2)
	s := sharded(t, p, nil)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		var last [2]int
		var wrong atomic.Int32
		b := s.Batch()
		for i := 1; i < 2000; i++ {
			f := func(l *ledger) {
				if last[l.number] > i {
					wrong.Inc()
				}
				last[l.number] = i
			}
			switch {
			case i%500 == 0:
				b.Send()
				require.NoError(t, s.Do(ctx, i%2, func(_ context.Context, l *ledger) error { f(l); return nil }))
			case i%7 == 0:
				b.Send()
				s.Send(i%2, f)
			default:
				b.To(i%2, f)
			}
		}
		b.Send()
		for i := range 2 {
			require.NoError(t, s.Do(ctx, i, func(_ context.Context, l *ledger) error { last[l.number] = 0; return nil }))
		}
		require.Zero(t, wrong.Load())
	})
	require.NoError(t, s.Close())
}

// Operations that wait for one another, across shards and on one, do not deadlock.
func TestShardedOperationsMayWaitForOneAnother(t *testing.T) {
	p := workers(t, 2)
	s := sharded(t, p, nil)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				_ = s.Do(bg, i%2, func(ctx context.Context, l *ledger) error {
					return s.Do(ctx, 1-l.number, func(ctx context.Context, l *ledger) error {
						return s.Do(ctx, 1-l.number, func(context.Context, *ledger) error { lockstep.Yield(); return nil })
					})
				})
			})
		}
		wrong := errors.New("wrong")
		require.Equal(t, wrong, s.Do(ctx, 0, func(context.Context, *ledger) error { return wrong }))
		require.Equal(t, "mine", panicOf(func() { _ = s.Do(ctx, 1, func(context.Context, *ledger) error { panic("mine") }) }))
		for isDone := false; !isDone; lockstep.Yield() { // a task may not block its thread here
			select {
			case <-groupDone(&wg):
				isDone = true
			default:
			}
		}
	})
	require.NoError(t, s.Close())
}

var groups sync.Map

// groupDone returns a channel that is closed when wg is done.
func groupDone(wg *sync.WaitGroup) chan struct{} {
	c, seen := groups.LoadOrStore(wg, make(chan struct{}))
	if !seen {
		go func() { wg.Wait(); close(c.(chan struct{})) }()
	}
	return c.(chan struct{})
}

func TestShardedClose(t *testing.T) {
	p := workers(t, 2)
	s := sharded(t, p, nil)
	b := s.Batch()
	b.To(0, func(*ledger) {})
	require.NoError(t, s.Close())
	text := " on a closed pool, like a send on a closed channel; use Do where that may happen"
	require.Equal(t, "lockstep: Sharded.Send"+text, panicOf(func() { s.Send(0, func(*ledger) {}) }))
	require.Equal(t, "lockstep: a batch's Send"+text, panicOf(b.Send))
	require.Equal(t, lockstep.ErrClosed, s.Do(bg, 1, func(context.Context, *ledger) error { return nil }))
	require.Equal(t, "lockstep: Sharded.Send to shard 2 of 2; shards are numbered from 0", panicOf(func() { s.Send(2, func(*ledger) {}) }))
	require.Equal(t, "lockstep: ShardedBatch.To to shard -1 of 2; shards are numbered from 0", panicOf(func() { b.To(-1, func(*ledger) {}) }))
	require.NoError(t, p.Close())
	_, err := lockstep.NewSharded(p.TaskQueue(lockstep.DefaultQueue), func(int) int { return 0 }, nil)
	require.Equal(t, lockstep.ErrClosed, err)
}

// If one state cannot be made, those that were are closed.
func TestShardedOpenThatFails(t *testing.T) {
	for _, how := range []int{3, 4} {
		p := workers(t, 3, lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
		var open atomic.Int32
		_, err := lockstep.NewSharded(p.TaskQueue(lockstep.DefaultQueue), func(i int) int {
			if i == 1 {
				behave(how)
			}
			open.Inc()
			return i
		}, func(int) { open.Dec() })
		require.Error(t, err)
		require.Zero(t, open.Load())
	}
}

// The worker of a shard stays when the number of workers falls.
func TestShardsStayWhenWorkersChange(t *testing.T) {
	if floating {
		t.Skip("floating workers have no threads that a state could stay on")
	}
	withProcs(t, 3)
	p := newPool(t)
	s := sharded(t, p, func(l *ledger) { l.closedOn = gettid() })
	var states [3]*ledger
	for _, procs := range []int{1, 4, 2, 3} {
		runtime.GOMAXPROCS(procs)
		until(func() bool { p.Go(nothing); return lockstep.ActiveWorkers(p) == procs })
		for i := range states {
			require.NoError(t, s.Do(bg, i, func(_ context.Context, l *ledger) error {
				states[i] = l
				if l.thread != gettid() {
					return errors.New("another thread")
				}
				return nil
			}))
		}
	}
	require.NoError(t, s.Close())
	for _, l := range states {
		require.Equal(t, l.thread, l.closedOn)
	}
}

func TestShardedInAForcedShutdown(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(2), lockstep.WithLockOSThread(!floating))
	require.NoError(t, err)
	var open, begun, ended atomic.Int32
	s, err := lockstep.NewSharded(p.TaskQueue(lockstep.DefaultQueue),
		func(int) *atomic.Int32 { open.Inc(); return new(atomic.Int32) },
		func(n *atomic.Int32) {
			if n.Load() == 0 {
				open.Dec() // and no operation is under way
			}
		})
	require.NoError(t, err)
	for i := range 20 {
		s.Send(i%2, func(n *atomic.Int32) {
			n.Inc()
			begun.Inc()
			defer func() { n.Dec(); ended.Inc() }()
			_ = lockstep.Sleep(bg, time.Hour)
		})
	}
	var asked error
	var wg sync.WaitGroup
	wg.Go(func() {
		asked = s.Do(bg, 0, func(ctx context.Context, _ *atomic.Int32) error {
			begun.Inc()
			defer ended.Inc()
			return lockstep.Sleep(ctx, time.Hour)
		})
	})
	until(func() bool { return begun.Load() == 21 })
	force(t, p)
	wg.Wait()
	require.Equal(t, lockstep.ErrShutdown, asked)
	require.Zero(t, open.Load())
	require.Equal(t, begun.Load(), ended.Load())
	require.NoError(t, s.Close())
}

func TestShardOf(t *testing.T) {
	var counts [5]int
	for i := range 5000 {
		require.Equal(t, lockstep.ShardOf(i, 5), lockstep.ShardOf(i, 5))
		counts[lockstep.ShardOf(i, 5)]++
	}
	for _, n := range counts {
		require.Greater(t, n, 500)
	}
}

// Operations that end otherwise than by returning, before and after they have given way, keep nothing from going on.
func TestShardedOperationsThatDoNotReturn(t *testing.T) {
	p := workers(t, 2, lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
	s := sharded(t, p, nil)
	var ran atomic.Int32
	for i := range 200 {
		s.Send(i%2, func(*ledger) {
			ran.Inc()
			behave(i % 3)       // nothing, yields, sleeps
			behave(3 + i/3%3%2) // Goexit, panics
		})
	}
	require.NoError(t, s.Close())
	require.Equal(t, int32(200), ran.Load())
}
