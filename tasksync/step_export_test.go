package tasksync

import (
	"sync"

	"github.com/lockstep-go/lockstep/pool"
)

// LockAlways is the Lock of a Cond.
func LockAlways(l sync.Locker) { l.(interface{ lockAlways() }).lockAlways() }

// WaitIn waits for c without its lock, and calls listed when a Signal finds it.
func WaitIn(c *Cond, listed func()) {
	n := c.list.lasting()
	c.list.mu.Lock()
	c.list.push(n)
	c.list.mu.Unlock()
	listed()
	_ = n.Park(background, pool.WhyCond)
	c.list.keep(n)
}

// ListedFor counts the writers, or the readers, in the list of rw.
func ListedFor(rw *RWMutex, writes bool) (n int) {
	rw.list.mu.Lock()
	defer rw.list.mu.Unlock()
	for w := rw.list.first; w != nil; w = w.next {
		if w.writes == writes {
			n++
		}
	}
	return n
}

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
