package tasksync

import (
	"context"
	"fmt"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/pool"
)

// Semaphore bounds how much of something is in use. Make one with [NewSemaphore]; the zero value has nothing to give. It has the methods and
// the meaning of golang.org/x/sync/semaphore.Weighted: who asks for much is not overtaken by those who ask for
// little and come later.
//
// # Protocol
//
// state is what is free, times two, plus one while the list is not empty; that bit is changed under the list's lock alone. Without the bit, one
// compare-and-swap takes or gives. With it, everything goes through the list: who gives hands over to the first ones for whom it is enough.
type Semaphore struct {
	_     noCopy
	size  int64
	state atomic.Int64
	list  list
}

const (
	semaphoreWaiters = 1
	semaphoreUnit    = 2
	semaphoreMost    = 1 << 61

	releaseText = "lockstep: Release of more than was acquired"
)

// NewSemaphore returns a semaphore of n units, all of them free. It panics if n is negative or more than 2^61.
func NewSemaphore(n int64) *Semaphore {
	if n < 0 || n > semaphoreMost {
		panic(fmt.Sprintf("lockstep: NewSemaphore(%d): the size must be 0 to 2^61", n))
	}
	s := &Semaphore{size: n}
	s.state.Store(n * semaphoreUnit)
	return s
}

// Acquire takes n units, and waits for them if need be. It returns nil when it has them, else the cause of ctx or of a forced Shutdown, or at
// once an error if n is more than the semaphore has. It panics if n is negative.
func (s *Semaphore) Acquire(ctx context.Context, n int64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v := s.state.Load(); !pool.Stepping() && v&semaphoreWaiters == 0 && n >= 0 && v>>1 >= n && s.state.CompareAndSwap(v, v-n*semaphoreUnit) {
		return nil // TryAcquire without the calls
	}
	return s.acquireSlow(ctx, n)
}

func (s *Semaphore) acquireSlow(ctx context.Context, n int64) error {
	if s.TryAcquire(n) { // a point of a stepped task too
		return nil
	}
	if n > s.size {
		return fmt.Errorf("lockstep: Acquire(%d) of a semaphore of %d can never succeed", n, s.size)
	}
	x := s.list.node(ctx)
	if !s.enlist(x, n) {
		s.list.done(x, ctx)
		return nil
	}
	err := x.Park(ctx, pool.WhySemaphore)
	if err != nil {
		s.forget(x)
		x.ExitIfDue()
	}
	s.list.done(x, ctx)
	return err
}

// TryAcquire takes n units if they are free and nobody waits; it does not wait.
func (s *Semaphore) TryAcquire(n int64) bool {
	mustNotBeNegative(n)
	if pool.Stepping() {
		pool.Point(pool.OpAcquire, s)
	}
	for {
		v := s.state.Load()
		if v&semaphoreWaiters != 0 || v>>1 < n {
			return false
		}
		if s.state.CompareAndSwap(v, v-n*semaphoreUnit) {
			return true
		}
	}
}

// Release gives n units back. It panics if that is more than are in use, or negative.
func (s *Semaphore) Release(n int64) {
	mustNotBeNegative(n)
	if pool.Stepping() {
		pool.Point(pool.OpRelease, s)
	}
	for {
		v := s.state.Load()
		if n > s.size-v>>1 {
			panic(releaseText)
		}
		if v&semaphoreWaiters != 0 {
			s.releaseSlow(n)
			return
		}
		if s.state.CompareAndSwap(v, v+n*semaphoreUnit) {
			return
		}
	}
}

func (s *Semaphore) releaseSlow(n int64) {
	s.list.mu.Lock()
	if v := s.state.Add(n * semaphoreUnit); v>>1 > s.size { // two of them met
		s.state.Sub(n * semaphoreUnit)
		s.list.mu.Unlock()
		panic(releaseText)
	}
	pool.Inner(s)
	served := s.serve()
	s.list.mu.Unlock()
	served.deliver()
}

// serve hands over to the first ones for whom it is enough. The list's lock is held.
func (s *Semaphore) serve() (served claimed) {
	for x := s.list.first; x != nil && s.state.Load()>>1 >= x.n; x = s.list.first {
		s.list.remove(x)
		pool.Inner(x)
		if x.Claim() {
			s.state.Sub(x.n * semaphoreUnit)
			served.add(x)
		}
	}
	if v := s.state.Load(); s.list.first == nil && v&semaphoreWaiters != 0 {
		s.state.Add(-semaphoreWaiters) // while the bit is set, the state changes under the lock alone
	}
	return served
}

// enlist puts x on the list, or returns false if the caller has got its units after all.
func (s *Semaphore) enlist(x *node, n int64) bool {
	x.n = n
	s.list.mu.Lock()
	for {
		v := s.state.Load()
		pool.Inner(s)
		enough := v&semaphoreWaiters == 0 && v>>1 >= n
		switch {
		case enough && s.state.CompareAndSwap(v, v-n*semaphoreUnit):
			s.list.mu.Unlock()
			return false
		case !enough && (v&semaphoreWaiters != 0 || s.state.CompareAndSwap(v, v|semaphoreWaiters)):
			pool.Inner(s)
			s.list.push(x)
			s.list.mu.Unlock()
			return true
		}
	}
}

// forget takes x, whose wait has ended otherwise, off the list. Those behind it may have waited for it alone.
func (s *Semaphore) forget(x *node) {
	s.list.mu.Lock()
	s.list.remove(x)
	served := s.serve()
	s.list.mu.Unlock()
	served.deliver()
}

func mustNotBeNegative(n int64) {
	if n < 0 {
		panic("lockstep: a semaphore's units must not be negative")
	}
}
