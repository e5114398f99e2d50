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
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep"
)

func noError(context.Context) error { return nil }

// outsideTask calls f as a task of p and returns when it has ended. Unlike inTask it takes no context.
func outsideTask(p *lockstep.Pool, f func()) {
	done := make(chan struct{})
	p.Go(func() { defer close(done); f() })
	<-done
}

func keyed(p *lockstep.Pool) *lockstep.Keyed[int] {
	return lockstep.NewKeyed[int](p.TaskQueue(lockstep.DefaultQueue))
}

// What operations do besides counting.
func behave(how int) {
	switch how {
	case 1:
		lockstep.Yield()
	case 2:
		_ = lockstep.Sleep(bg, time.Microsecond)
	case 3:
		runtime.Goexit()
	case 4:
		panic("an operation")
	}
}

// Operations of a key run in order and one at a time, whatever they do, and all of them run.
func TestKeyedOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		procs := rapid.IntRange(1, 3).Draw(rt, "workers")
		capacity := rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(rt, "capacity")
		senders := rapid.IntRange(1, 3).Draw(rt, "senders")
		keys := rapid.IntRange(1, 5).Draw(rt, "keys")
		ops := rapid.SliceOfN(rapid.IntRange(0, 40), 1, 300).Draw(rt, "operations") // most do nothing
		opts := []lockstep.Option{
			lockstep.WithWorkers(procs), lockstep.WithLockOSThread(!floating),
			lockstep.WithPanicHandler(func(*lockstep.PanicError) {}),
		}
		if capacity > 0 {
			opts = append(opts, lockstep.WithCapacity(capacity))
		}
		p, err := lockstep.New(opts...)
		require.NoError(rt, err)
		k := keyed(p)
		type seen struct {
			in, overlaps int
			last         []int
			unordered    int
		}
		states := make([]seen, keys)
		for i := range states {
			states[i].last = make([]int, senders)
		}
		var ran atomic.Int64
		send := func(sender int) {
			b := k.Batch()
			for i, how := range ops {
				key := (i*7 + how) % keys
				f := func() {
					s := &states[key]
					if s.in++; s.in != 1 {
						s.overlaps++
					}
					if s.last[sender] > i {
						s.unordered++
					}
					s.last[sender] = i
					defer func() { s.in--; ran.Inc() }()
					behave(how)
				}
				switch {
				case sender == 0:
					k.Go(key, f)
				case sender == 1:
					b.Go(key, f)
				case how%2 == 0 && how != 4:
					_ = k.Do(bg, key, func(context.Context) error { f(); return nil })
				default:
					k.Go(key, f)
				}
			}
			b.Send()
		}
		var wg sync.WaitGroup
		for i := range senders {
			if i == 2 {
				wg.Add(1)
				p.Go(func() { defer wg.Done(); send(i) })
				continue
			}
			wg.Go(func() { send(i) })
		}
		wg.Wait()
		require.NoError(rt, p.Close(), "and it runs what is pending")
		require.Equal(rt, int64(senders*len(ops)), ran.Load())
		for key, s := range states {
			require.Zero(rt, s.overlaps, "key %d: two at a time", key)
			require.Zero(rt, s.unordered, "key %d: out of order", key)
		}
		require.Zero(rt, lockstep.KeyedKept(k)+lockstep.KeyedBusy(k), "nothing is kept")
	})
}

// An operation that waits holds up its own key and no other.
func TestAWaitingOperationHoldsUpItsKeyOnly(t *testing.T) {
	p := workers(t, 1)
	k := keyed(p)
	var gate atomic.Bool
	wait := func() {
		for !gate.Load() {
			lockstep.Yield()
		}
	}
	order := make(chan int, 10)
	k.Go(1, func() { wait(); order <- 1 })
	k.Go(1, func() { order <- 2 })
	k.Go(2, func() { order <- 3 })
	require.Equal(t, 3, <-order)
	k.Go(2, func() { order <- 4 })
	k.Go(1, func() { order <- 5 })
	require.Equal(t, 4, <-order)
	require.Equal(t, 1, lockstep.KeyedKept(k))
	gate.Store(true)
	require.Equal(t, []int{1, 2, 5}, []int{<-order, <-order, <-order})
}

func TestOperationsOfAKeyStayOnTheirWorker(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	k := keyed(p)
	var wg sync.WaitGroup
	threads := make([]map[int]bool, 100) // with fewer, a worker would have none now and then
	for i := range threads {
		threads[i] = map[int]bool{}
	}
	for range 10 {
		for key := range threads {
			wg.Add(1)
			k.Go(key, func() { defer wg.Done(); threads[key][gettid()] = true })
		}
	}
	wg.Wait()
	all := map[int]bool{}
	for key, of := range threads {
		require.Len(t, of, 1, "key %d", key)
		for id := range of {
			all[id] = true
		}
	}
	require.Len(t, all, 3, "and the keys are divided among the workers")
}

func TestKeyedDo(t *testing.T) {
	p := workers(t, 2)
	k := keyed(p)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		wrong := errors.New("wrong")
		require.Equal(t, wrong, k.Do(ctx, 1, func(context.Context) error { lockstep.Yield(); return wrong }))
		require.Equal(t, "mine", panicOf(func() { _ = k.Do(ctx, 1, func(context.Context) error { panic("mine") }) }))
		require.NoError(t, k.Do(ctx, 1, noError), "the key goes on")
		// In an operation of the key, also one that has given way.
		for _, first := range []func(){nothing, lockstep.Yield} {
			inner := false
			require.NoError(t, k.Do(ctx, 1, func(ctx context.Context) error {
				first()
				return k.Do(ctx, 1, func(context.Context) error { inner = true; return nil })
			}))
			require.True(t, inner)
		}
		require.NoError(t, k.Do(ctx, 1, func(ctx context.Context) error { return k.Do(ctx, 2, noError) }))
	})
	returned := false
	outside(func() {
		_ = k.Do(bg, 1, func(context.Context) error { runtime.Goexit(); return nil })
		returned = true
	})
	require.False(t, returned)
}

func TestKeyedDoWithAContextThatEnds(t *testing.T) {
	p := workers(t, 1)
	k := keyed(p)
	bothSides(t, p, func(t *testing.T, ctx context.Context) {
		cause := errors.New("enough")
		gate := make(chan struct{})
		var open atomic.Bool
		k.Go(1, func() {
			close(gate)
			for !open.Load() {
				lockstep.Yield()
			}
		})
		until(func() bool { lockstep.Yield(); return isClosed(gate) })
		ctx, cancel := context.WithCancelCause(ctx)
		go cancel(cause)
		require.Equal(t, cause, k.Do(ctx, 1, func(context.Context) error { t.Error("called"); return nil }))
		require.Equal(t, cause, k.Do(ctx, 1, func(context.Context) error { t.Error("called"); return nil }))
		open.Store(true)
		require.NoError(t, k.Do(bg, 1, noError))
	})
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestKeyedOnAClosedPool(t *testing.T) {
	p := workers(t, 2)
	k := keyed(p)
	b := k.Batch()
	b.Go(1, nothing)
	done := make(chan error, 1)
	started := make(chan struct{})
	p.Go(func() { // a task may send on while the pool closes
		close(started)
		for i := range 100 {
			k.Go(i, nothing)
			lockstep.Yield()
		}
		done <- k.Do(bg, 5, noError)
	})
	<-started
	require.NoError(t, p.Close())
	require.NoError(t, <-done)
	text := " on a closed pool, like a send on a closed channel; use Do where that may happen"
	require.Equal(t, "lockstep: Keyed.Go"+text, panicOf(func() { k.Go(1, nothing) }))
	require.Equal(t, "lockstep: a batch's Send"+text, panicOf(b.Send))
	require.Equal(t, lockstep.ErrClosed, k.Do(bg, 1, noError))
	require.Equal(t, "lockstep: Keyed.Go of a nil func", panicOf(func() { k.Go(1, nil) }))
	require.Equal(t, "lockstep: NewKeyed without a task queue; use Pool.TaskQueue", panicOf(func() { lockstep.NewKeyed[int](nil) }))
}

// What has begun is ended, what has not is not begun, and who waits hears of it.
func TestKeyedInAForcedShutdown(t *testing.T) {
	p, err := lockstep.New(lockstep.WithWorkers(2), lockstep.WithLockOSThread(!floating))
	require.NoError(t, err)
	k := keyed(p)
	var begun, ended atomic.Int32
	for key := range 20 {
		k.Go(key, func() {
			begun.Inc()
			defer ended.Inc()
			_ = lockstep.Sleep(bg, time.Hour)
		})
	}
	until(func() bool { return begun.Load() == 20 })
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for key := range errs {
		k.Go(key, func() { t.Error("began") })
		wg.Go(func() { errs[key] = k.Do(bg, key, func(context.Context) error { t.Error("began"); return nil }) })
	}
	until(func() bool { return lockstep.KeyedPending(k) == 40 })
	force(t, p)
	wg.Wait()
	for _, err := range errs {
		require.Equal(t, lockstep.ErrShutdown, err)
	}
	require.Equal(t, int32(20), ended.Load())
	require.Zero(t, lockstep.KeyedKept(k))
}

// Workers come and go with GOMAXPROCS, and the order of a key stays.
func TestStressKeyedWhileWorkersChange(t *testing.T) {
	withProcs(t, 3)
	p := newPool(t)
	k := keyed(p)
	const keys, rounds = 8, 400
	var counts [keys]int
	var wrong, ran atomic.Int64
	for i := range rounds {
		if i%40 == 0 {
			n := 1 + i/40%4
			runtime.GOMAXPROCS(n)
			until(func() bool { p.Go(nothing); return lockstep.ActiveWorkers(p) == n })
		}
		for key := range keys {
			k.Go(key, func() {
				if counts[key] != i {
					wrong.Inc()
				}
				counts[key]++
				if i%5 == key%5 {
					lockstep.Yield()
				}
				ran.Inc()
			})
		}
		if i%3 == 0 {
			until(func() bool { return ran.Load() == int64((i+1)*keys) })
		}
	}
	until(func() bool { return ran.Load() == rounds*keys })
	require.Zero(t, wrong.Load())
}
