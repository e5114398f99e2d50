package tasksync

import (
	"context"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/stepping"
	"github.com/lockstep-go/lockstep/pool"
)

// Mutex is a lock that parks tasks. It is a sync.Locker. The zero value is unlocked.
//
// Those who wait get it in the order of arrival. Among the tasks of one worker, and among goroutines, it is handed over, and nobody overtakes. Where
// the next one has to be woken on another thread, the lock is free until that has come, and others may take it meanwhile, but if the
// one who was woken finds it taken, it gets it from the next Unlock.
//
// Like a sync.Mutex it belongs to nobody: one may lock it and another unlock it. A task that locks it twice waits for itself for ever.
type Mutex struct {
	_     noCopy
	state atomic.Uint32
	list  list
}

// TryLock locks m if it is free; it does not wait.
func (m *Mutex) TryLock() bool {
	if !pool.Stepping() {
		return m.tryLock()
	}
	pool.Point(pool.OpTryLock, m)
	ok := m.tryLock()
	if ok {
		pool.Note(pool.OpLock, m)
	}
	return ok
}

func (m *Mutex) tryLock() bool {
	for s := m.state.Load(); s&mutexLocked == 0; s = m.state.Load() {
		if m.state.CompareAndSwap(s, s|mutexLocked) {
			return true
		}
	}
	return false
}

// Lock locks m, and waits for it if need be.
func (m *Mutex) Lock() {
	if !m.state.CompareAndSwap(uint32(stepping.Bar.Load()), mutexLocked) {
		m.lockSlow()
	}
}

// LockContext is Lock that gives up when ctx ends. It returns nil when it has locked m, else the cause of ctx or of a forced Shutdown.
func (m *Mutex) LockContext(ctx context.Context) (err error) {
	if err := ended(ctx); err != nil {
		return err
	}
	if pool.Stepping() {
		pool.Point(pool.OpLock, m)
		defer func() {
			if err == nil {
				pool.Note(pool.OpLock, m)
			}
		}()
	}
	for has, woken := m.tryLock(), false; !has; woken = true {
		n := m.list.node(ctx)
		if has = !m.enlist(n, woken); !has {
			if err := n.Park(ctx, pool.WhyLock); err != nil {
				m.forget(n)
				n.ExitIfDue()
				return err
			}
			has = n.has
		}
		m.list.done(n, ctx)
	}
	return nil
}

// Unlock unlocks m. It panics if m is not locked.
func (m *Mutex) Unlock() {
	if !m.state.CompareAndSwap(uint32(stepping.Bar.Load()+mutexLocked), 0) {
		m.unlockSlow()
	}
}
