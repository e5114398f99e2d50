package tasksync_test

//lint:file-ignore SA2001 that a lock is got, or at what cost, is what counts

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

func TestMisusePanics(t *testing.T) {
	var m tasksync.Mutex
	var rw tasksync.RWMutex
	var g tasksync.WaitGroup
	var o tasksync.Once
	s := tasksync.NewSemaphore(2)
	for text, f := range map[string]func(){
		"lockstep: Unlock of a tasksync.Mutex that is not locked":                      m.Unlock,
		"lockstep: Unlock of a tasksync.RWMutex that is not locked for that":           rw.Unlock,
		"lockstep: RUnlock of a tasksync.RWMutex that is not locked for reading":       rw.RUnlock,
		"lockstep: Release of more than was acquired":                                  func() { s.Release(1) },
		"lockstep: a semaphore's units must not be negative":                           func() { _ = s.Acquire(bg, -1) },
		"lockstep: NewSemaphore(-1): the size must be 0 to 2^61":                       func() { tasksync.NewSemaphore(-1) },
		"lockstep: the count of a tasksync.WaitGroup is negative: more Done than Add":  func() { (&tasksync.WaitGroup{}).Done() },
		"lockstep: WaitGroup.Go of a nil func":                                         func() { g.Go(nil) },
		"lockstep: Once.Do of a nil func":                                              func() { (&tasksync.Once{}).Do(nil) },
		"lockstep: Once.Do is called by its own function, which would wait for itself": func() { o.Do(func() { o.Do(func() {}) }) },
	} {
		require.PanicsWithValue(t, text, f)
	}
	require.True(t, m.TryLock(), "still of use")
	rw.RLock()
	require.PanicsWithValue(t, "lockstep: Unlock of a tasksync.RWMutex that is not locked for that", rw.Unlock)
	require.EqualError(t, s.Acquire(bg, 3), "lockstep: Acquire(3) of a semaphore of 2 can never succeed")
	require.True(t, s.TryAcquire(2))
	o.Do(func() { t.Error("called again") })
}

// D03: a lock of this package may be held over a yield.
func TestD03LockHeldOverAYield(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		var m tasksync.Mutex
		var ends sync.WaitGroup
		ends.Add(2)
		p.Go(func() {
			defer ends.Done()
			m.Lock()
			p.Go(func() { defer ends.Done(); m.Lock(); defer m.Unlock() })
			for range 10 {
				lockstep.Yield()
			}
			m.Unlock()
		})
		ends.Wait()
	})
}

func TestOrderOfArrival(t *testing.T) {
	p := mixed(t, 1, true)
	var m tasksync.Mutex
	m.Lock()
	var order []int
	var all sync.WaitGroup
	for i := range 20 {
		all.Add(1)
		p.Go(func() { defer all.Done(); m.Lock(); order = append(order, i); m.Unlock() })
	}
	inTask(p, func() {}) // behind them: they all wait
	m.Unlock()
	all.Wait()
	for i, got := range order {
		require.Equal(t, i, got)
	}
}

// A big request is not overtaken for ever by small ones, which come all the time.
func TestBigRequestIsServed(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		s := tasksync.NewSemaphore(4)
		var stop atomic.Bool
		var small sync.WaitGroup
		for range 8 {
			small.Add(1)
			p.Go(func() {
				defer small.Done()
				for !stop.Load() {
					_ = s.Acquire(bg, 1)
					lockstep.Yield()
					s.Release(1)
				}
			})
		}
		for range 20 {
			require.NoError(t, s.Acquire(bg, 4))
			s.Release(4)
		}
		stop.Store(true)
		small.Wait()
	})
}

// Readers that come all the time do not keep a writer out, nor writers a reader.
func TestNobodyStarvesAtAnRWMutex(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		for _, writers := range []bool{false, true} {
			var rw tasksync.RWMutex
			crowdL, oneL := rw.RLocker(), sync.Locker(&rw)
			if writers {
				crowdL, oneL = oneL, crowdL
			}
			var stop atomic.Bool
			var crowd sync.WaitGroup
			for range 6 {
				crowd.Add(1)
				p.Go(func() {
					defer crowd.Done()
					for !stop.Load() {
						crowdL.Lock()
						lockstep.Yield()
						crowdL.Unlock()
					}
				})
			}
			for range 20 {
				oneL.Lock()
				oneL.Unlock()
			}
			stop.Store(true)
			crowd.Wait()
		}
	})
}

// Waits with a context end with its cause, and have taken nothing; an ended context does not even take what is free.
func TestContextEndsWaits(t *testing.T) {
	why := errors.New("why")
	for name, w := range map[string]func() (wait func(context.Context) error, free func() bool){
		"Mutex": func() (func(context.Context) error, func() bool) {
			var m tasksync.Mutex
			m.Lock()
			return m.LockContext, func() bool { m.Unlock(); return m.TryLock() }
		},
		"RWMutex.Lock": func() (func(context.Context) error, func() bool) {
			var rw tasksync.RWMutex
			rw.RLock()
			return rw.LockContext, func() bool { return rw.TryRLock() }
		},
		"RWMutex.RLock": func() (func(context.Context) error, func() bool) {
			var rw tasksync.RWMutex
			rw.Lock()
			return rw.RLockContext, func() bool { rw.Unlock(); return rw.TryLock() }
		},
		"Semaphore": func() (func(context.Context) error, func() bool) {
			s := tasksync.NewSemaphore(2)
			_ = s.Acquire(bg, 1)
			return func(ctx context.Context) error { return s.Acquire(ctx, 2) }, func() bool { return s.TryAcquire(1) }
		},
		"Cond": func() (func(context.Context) error, func() bool) {
			var m tasksync.Mutex
			c := tasksync.NewCond(&m)
			return func(ctx context.Context) error {
				m.Lock()
				defer m.Unlock() // held again in any case
				return c.WaitContext(ctx)
			}, m.TryLock
		},
		"WaitGroup": func() (func(context.Context) error, func() bool) {
			g := new(tasksync.WaitGroup)
			g.Add(1)
			return g.WaitContext, func() bool { g.Done(); g.Wait(); return true }
		},
	} {
		t.Run(name, func(t *testing.T) {
			mixes(t, func(t *testing.T, p *lockstep.Pool) {
				wait, free := w()
				ended, end := context.WithCancelCause(bg)
				end(why)
				require.Equal(t, why, wait(ended))
				ctx, cancel := context.WithCancelCause(bg)
				results := make(chan error, 4)
				for i := range 4 {
					if i%2 == 0 {
						p.Go(func() { results <- wait(ctx) })
					} else {
						go func() { results <- wait(ctx) }()
					}
				}
				own := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) { return 0, wait(ctx) })
				runtime.Gosched()
				own.Cancel(why)
				_, err := own.Wait(bg)
				require.Equal(t, why, err)
				cancel(why)
				for range 4 {
					require.Equal(t, why, <-results)
				}
				require.True(t, free())
			})
		})
	}
}

// A forced shutdown ends waits: those with an error return it, the others end their task; nothing of theirs is taken.
func TestShutdownWhileParked(t *testing.T) {
	for _, locked := range []bool{true, false} {
		p := mixed(t, 2, locked)
		var m tasksync.Mutex
		var rw tasksync.RWMutex
		var cm tasksync.Mutex
		var g tasksync.WaitGroup
		var o tasksync.Once
		c, s := tasksync.NewCond(&cm), tasksync.NewSemaphore(1)
		m.Lock()
		rw.Lock()
		g.Add(1)
		_ = s.Acquire(bg, 1)
		gate := make(chan struct{})
		began := make(chan struct{})
		go o.Do(func() { close(began); <-gate })
		<-began
		var ended, went atomic.Int64
		var parked sync.WaitGroup
		alone := []func(){
			m.Lock, rw.Lock, rw.RLock, g.Wait,
			func() { cm.Lock(); defer cm.Unlock(); c.Wait(); went.Inc() },
			func() { o.Do(func() {}) },
		}
		for _, wait := range alone {
			parked.Add(1)
			p.Go(func() {
				defer ended.Inc()
				parked.Done()
				wait()
				went.Inc()
			})
		}
		errs := make(chan error, 10)
		told := []func(context.Context) error{
			m.LockContext, rw.LockContext, rw.RLockContext, g.WaitContext,
			func(ctx context.Context) error { return s.Acquire(ctx, 1) },
			func(ctx context.Context) error { cm.Lock(); defer cm.Unlock(); return c.WaitContext(ctx) },
		}
		for _, wait := range told {
			parked.Add(1)
			p.Go(func() { parked.Done(); errs <- wait(bg) })
		}
		parked.Wait()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		for p.Shutdown(ctx) != nil { // some may not have parked yet
		}
		for range told {
			require.Equal(t, lockstep.ErrShutdown, <-errs)
		}
		require.Equal(t, int64(len(alone)), ended.Load())
		require.Zero(t, went.Load())
		m.Unlock()
		rw.Unlock()
		s.Release(1)
		close(gate)
		g.Done()
		require.True(t, m.TryLock() && rw.TryLock() && s.TryAcquire(1) && cm.TryLock())
		g.Wait()
		o.Do(func() { t.Error("called again") })
	}
}

func TestOnceFunctions(t *testing.T) {
	calls := 0
	v := tasksync.OnceValue(func() int { calls++; return calls })
	require.Equal(t, []int{1, 1}, []int{v(), v()})
	f := tasksync.OnceFunc(func() { calls++; panic("boom") })
	require.PanicsWithValue(t, "boom", f)
	require.PanicsWithValue(t, "boom", f)
	require.Equal(t, 2, calls)
	a := tasksync.OnceValues(func() (int, error) { return 7, errors.New("x") })
	n, err := a()
	require.Equal(t, 7, n)
	require.EqualError(t, err, "x")
	var o tasksync.Once
	require.Panics(t, func() { o.Do(func() { panic("boom") }) })
	o.Do(func() { t.Error("a function that panicked has been called") })
	exits := tasksync.OnceFunc(runtime.Goexit)
	var end sync.WaitGroup
	end.Add(1)
	go func() { defer end.Done(); exits(); t.Error("came back") }()
	end.Wait()
	require.PanicsWithValue(t, "lockstep: the function of a OnceFunc ended by runtime.Goexit", exits)
}

// D06: a panic is with the handler before Wait returns.
func TestD06WaitGroupAfterAPanic(t *testing.T) {
	var handled atomic.Int64
	p := mixed(t, 2, true, lockstep.WithPanicHandler(func(*lockstep.PanicError) { handled.Inc() }))
	inTask(p, func() {
		for i := range 500 {
			var g tasksync.WaitGroup
			g.Go(func() { panic("boom") })
			g.Go(runtime.Goexit)
			g.Wait()
			if handled.Load() != int64(i+1) {
				t.Error("Wait returned first")
			}
		}
	})
}

func TestCondWakes(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		var m tasksync.Mutex
		c := tasksync.NewCond(&m)
		waiting, woken := 0, 0
		for i := range 6 {
			wait := func() { m.Lock(); waiting++; c.Wait(); woken++; m.Unlock() }
			if i%2 == 0 {
				p.Go(wait)
			} else {
				go wait()
			}
		}
		look := func(what *int, n int) {
			until(func() bool { m.Lock(); defer m.Unlock(); return *what == n })
		}
		look(&waiting, 6)
		for i := range 3 {
			c.Signal()
			look(&woken, i+1)
		}
		c.Broadcast()
		look(&woken, 6)
		c.Signal() // nobody
		c.Broadcast()
	})
}
