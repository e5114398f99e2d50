package tasksync

import "github.com/lockstep-go/lockstep/pool"

// LockAlways is the Lock of a Cond.
func LockAlways(m *Mutex) { m.lockAlways() }

// FirstTried returns the worker of the first who waits for m, if that one has tried in vain.
func FirstTried(m *Mutex) (at pool.Place, tried bool) {
	m.list.mu.Lock()
	defer m.list.mu.Unlock()
	n := m.list.first
	if n == nil || !n.tried {
		return pool.Place{}, false
	}
	return n.at, true
}
