package tasksync_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// crowd runs f as tasks and as goroutines, n of each, with a seeded source for each.
func crowd(t *testing.T, p *lockstep.Pool, n int, f func(r *rand.Rand)) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var all sync.WaitGroup
	for i := range 2 * n {
		all.Add(1)
		one := func() {
			defer all.Done()
			f(rand.New(rand.NewPCG(seed, uint64(i))))
		}
		if i%2 == 0 {
			p.Go(one)
		} else {
			go one()
		}
	}
	all.Wait()
}

// impatient returns a context that may end at any time.
func impatient(r *rand.Rand) (context.Context, context.CancelFunc) {
	if r.IntN(2) == 0 {
		return bg, func() {}
	}
	return context.WithTimeout(bg, time.Duration(r.IntN(300))*time.Microsecond)
}

func dawdle(r *rand.Rand) {
	if r.IntN(4) == 0 {
		lockstep.Yield()
	}
}

func TestStressMutex(t *testing.T) {
	stress(t, func(t *testing.T, p *lockstep.Pool) {
		var m tasksync.Mutex
		inside, done := 0, 0 // guarded by m; the race detector looks on
		var locked atomic.Int64
		crowd(t, p, 8, func(r *rand.Rand) {
			for range 200 {
				switch ctx, cancel := impatient(r); {
				case r.IntN(5) == 0:
					cancel()
					if !m.TryLock() {
						continue
					}
				case ctx == bg && r.IntN(2) == 0:
					m.Lock()
				default:
					err := m.LockContext(ctx)
					cancel()
					if err != nil {
						if err != context.DeadlineExceeded {
							t.Error(err)
						}
						continue
					}
				}
				if inside++; inside != 1 {
					t.Error("two have the lock")
				}
				dawdle(r)
				inside--
				done++
				locked.Inc()
				m.Unlock()
			}
		})
		require.True(t, m.TryLock())
		require.Equal(t, int64(done), locked.Load())
	})
}

func TestStressRWMutex(t *testing.T) {
	stress(t, func(t *testing.T, p *lockstep.Pool) {
		var rw tasksync.RWMutex
		value := 0
		var readers, writes atomic.Int64
		crowd(t, p, 8, func(r *rand.Rand) {
			for range 200 {
				ctx, cancel := impatient(r)
				if r.IntN(3) == 0 {
					if rw.LockContext(ctx) == nil {
						value++
						dawdle(r)
						if readers.Load() != 0 {
							t.Error("a reader is in with a writer")
						}
						writes.Inc()
						rw.Unlock()
					}
				} else if rw.RLockContext(ctx) == nil {
					readers.Inc()
					was := value
					dawdle(r)
					if value != was {
						t.Error("a writer is in with a reader")
					}
					readers.Dec()
					rw.RUnlock()
				}
				cancel()
			}
		})
		require.True(t, rw.TryLock())
		require.Equal(t, int64(value), writes.Load())
	})
}

func TestStressSemaphore(t *testing.T) {
	stress(t, func(t *testing.T, p *lockstep.Pool) {
		const size = 6
		s := tasksync.NewSemaphore(size)
		var used atomic.Int64
		crowd(t, p, 8, func(r *rand.Rand) {
			for range 200 {
				n := r.Int64N(size + 1)
				ctx, cancel := impatient(r)
				if s.Acquire(ctx, n) == nil {
					if used.Add(n) > size {
						t.Error("more than there is")
					}
					dawdle(r)
					used.Sub(n)
					s.Release(n)
				}
				cancel()
			}
		})
		require.True(t, s.TryAcquire(size))
	})
}

// A bounded buffer: every Signal is for one, and none is lost, although waits end by their contexts.
func TestStressCond(t *testing.T) {
	for _, native := range []bool{false, true} {
		stress(t, func(t *testing.T, p *lockstep.Pool) {
			var l sync.Locker = new(tasksync.Mutex)
			if native {
				l = new(sync.Mutex)
			}
			full, free := tasksync.NewCond(l), tasksync.NewCond(l)
			const size, each = 3, 200
			held := 0
			var put, got atomic.Int64
			var role atomic.Int64
			crowd(t, p, 4, func(r *rand.Rand) {
				puts := (role.Inc()-1)%2 == 0
				for range each {
					l.Lock()
					for puts && held == size || !puts && held == 0 {
						c := full
						if puts {
							c = free
						}
						if ctx, cancel := impatient(r); ctx == bg {
							c.Wait()
						} else {
							_ = c.WaitContext(ctx)
							cancel()
						}
					}
					if puts {
						held++
						put.Inc()
						full.Signal()
					} else {
						held--
						got.Inc()
						free.Signal()
					}
					l.Unlock()
				}
			})
			require.Equal(t, put.Load(), got.Load())
			require.Zero(t, held)
		})
	}
}

func TestStressWaitGroup(t *testing.T) {
	stress(t, func(t *testing.T, p *lockstep.Pool) {
		lockstepIn(p, func() {
			for range 200 {
				var g tasksync.WaitGroup
				var ran atomic.Int64
				for range 10 {
					g.Go(func() { dawdle(rand.New(rand.NewPCG(1, 1))); ran.Inc() })
				}
				g.Wait()
				if ran.Load() != 10 {
					t.Error("Wait returned too early")
				}
			}
		})
		var again tasksync.WaitGroup // many who wait, from both sides, again and again
		for range 50 {
			again.Add(3)
			var waited sync.WaitGroup
			for i := range 6 {
				waited.Add(1)
				wait := func() { again.Wait(); waited.Done() }
				if i%2 == 0 {
					p.Go(wait)
				} else {
					go wait()
				}
			}
			for range 3 {
				p.Go(again.Done)
			}
			waited.Wait()
		}
	})
}

func TestStressOnce(t *testing.T) {
	stress(t, func(t *testing.T, p *lockstep.Pool) {
		for range 100 {
			var o tasksync.Once
			calls, ready := 0, 0
			crowdQuiet(p, 4, func() {
				o.Do(func() { calls++; lockstep.Yield(); ready = 1 })
				if ready != 1 {
					t.Error("Do returned before the function had")
				}
			})
			require.Equal(t, 1, calls)
		}
	})
}

func crowdQuiet(p *lockstep.Pool, n int, f func()) {
	var all sync.WaitGroup
	for i := range 2 * n {
		all.Add(1)
		one := func() { defer all.Done(); f() }
		if i%2 == 0 {
			p.Go(one)
		} else {
			go one()
		}
	}
	all.Wait()
}

// lockstepIn calls f in a task of p, where lockstep.Go goes to p.
func lockstepIn(p *lockstep.Pool, f func()) { inTask(p, f) }

// D18: a wait that begins as it is woken, a great many times.
func TestD18ParkAgainstWake(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		const rounds = 2000
		ping, pong := tasksync.NewSemaphore(1), tasksync.NewSemaphore(1)
		require.NoError(t, ping.Acquire(bg, 1))
		require.NoError(t, pong.Acquire(bg, 1))
		var end sync.WaitGroup
		end.Add(1)
		p.Go(func() {
			defer end.Done()
			for range rounds {
				_ = ping.Acquire(bg, 1)
				pong.Release(1)
			}
		})
		for i := range rounds {
			ping.Release(1)
			if i%7 == 0 {
				runtime.Gosched()
			}
			require.NoError(t, pong.Acquire(bg, 1))
		}
		end.Wait()
	})
}
