package tasksync

import (
	"context"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/pool"
)

// Mutex is a lock that parks tasks. It is a sync.Locker. The zero value is unlocked.
//
// It is handed over in the order of arrival. Like a sync.Mutex it belongs to nobody: one may lock it and another unlock it. A task that locks it twice
// waits for itself for ever.
//
// # Protocol
//
// state is mutexLocked, and mutexWaiters while the list is not empty; the latter is changed under the list's lock alone. Without
// waiters, one compare-and-swap locks and one unlocks. With waiters, unlocking goes through the list: the first whose wait can be claimed gets
// the lock, which stays locked meanwhile. No unlock is missed: who goes to wait sets mutexWaiters while the
// state says locked, in one step, so the holder's swap from "locked, nobody waits" fails and it looks at the list.
type Mutex struct {
	_     noCopy
	state atomic.Uint32
	list  list
}

const (
	mutexLocked  = 1
	mutexWaiters = 2
)

// TryLock locks m if it is free and nobody waits for it; it does not wait.
func (m *Mutex) TryLock() bool { return m.state.CompareAndSwap(0, mutexLocked) }

// Lock locks m, and waits for it if need be.
func (m *Mutex) Lock() {
	if !m.state.CompareAndSwap(0, mutexLocked) {
		m.lockSlow()
	}
}

// LockContext is Lock that gives up when ctx ends. It returns nil when it has locked m, else the cause of ctx or of a forced Shutdown.
func (m *Mutex) LockContext(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if m.TryLock() {
		return nil
	}
	n := m.list.node(ctx)
	if !m.enlist(n) {
		m.list.done(n, ctx)
		return nil
	}
	err := n.Park(ctx, pool.WhyLock)
	if err != nil {
		m.forget(n)
		n.ExitIfDue()
	}
	m.list.done(n, ctx)
	return err
}

// Unlock unlocks m. It panics if m is not locked.
func (m *Mutex) Unlock() {
	if !m.state.CompareAndSwap(mutexLocked, 0) {
		m.unlockSlow()
	}
}

func (m *Mutex) lockSlow() {
	n := m.list.lasting()
	if m.enlist(n) && n.Park(background, pool.WhyLock) != nil {
		m.forget(n)
		n.Exit()
	}
	m.list.keep(n)
}

// lockAlways is Lock that no forced shutdown ends, for a Cond, which returns with the lock in any case.
func (m *Mutex) lockAlways() {
	if m.TryLock() {
		return
	}
	n := m.list.lasting()
	if m.enlist(n) {
		n.WaitAlways(pool.WhyLock)
	}
	m.list.keep(n)
}

// enlist puts n on the list, or returns false if the caller has the lock after all.
func (m *Mutex) enlist(n *node) bool {
	m.list.mu.Lock()
	for {
		switch s := m.state.Load(); {
		case s == 0:
			if m.state.CompareAndSwap(0, mutexLocked) {
				m.list.mu.Unlock()
				return false
			}
		case s&mutexWaiters != 0 || m.state.CompareAndSwap(s, s|mutexWaiters):
			m.list.push(n)
			m.list.mu.Unlock()
			return true
		}
	}
}

func (m *Mutex) unlockSlow() {
	m.list.mu.Lock()
	if m.state.Load()&mutexLocked == 0 {
		m.list.mu.Unlock()
		panic("lockstep: Unlock of a tasksync.Mutex that is not locked")
	}
	n := m.list.claim()
	switch {
	case n == nil:
		m.state.Store(0)
	case m.list.first == nil:
		m.state.Store(mutexLocked)
	}
	m.list.mu.Unlock()
	if n != nil {
		n.Deliver()
	}
}

// forget takes n, whose wait has ended otherwise, off the list.
func (m *Mutex) forget(n *node) {
	m.list.mu.Lock()
	defer m.list.mu.Unlock()
	m.list.remove(n)
	if m.list.first == nil && m.state.Load() == mutexLocked|mutexWaiters {
		m.state.Store(mutexLocked)
	}
}
