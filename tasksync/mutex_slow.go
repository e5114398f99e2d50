package tasksync

import "github.com/lockstep-go/lockstep/pool"

// # Protocol: Mutex
//
// state is made of three bits:
//
//	locked   somebody has it
//	waiters  the list is not empty
//	awake    somebody was taken off the list, and woken to try for it, and has not tried yet
//
// waiters and awake are changed under the list's lock alone, and set only while the state says locked; locked itself is changed
// by compare-and-swap, and needs the list's lock only if the list or awake change with it.
// So while somebody has m and the list's lock, the state stands still. Without waiters one swap locks and one unlocks.
//
// Unlock with waiters, and nobody awake, takes the first one off whose wait can be claimed. It hands m over, locked, if that one is a task of the
// same worker, which will run without more ado, or if both are goroutines, or if the one has tried in vain before. Otherwise it unlocks, and
// wakes that one to try: the wake of another worker's thread takes tens of microseconds, and a lock that is held for that long without being of use to anybody
// makes all others wait for threads as well (two workers that count under a lock: 8000 ns a round, 60 with this).
// While somebody is awake, Unlock hands over to a first one of the same worker, and otherwise only unlocks.
//
// Who is awake takes m if it is free, or goes back to the front of the list as one who has tried; either way awake is over. So who waits is
// overtaken at most in the time that one wake takes.
//
// No unlock is missed: a list that is not empty while m is free has somebody awake, who tries next. For it is not empty only from a
// moment at which m was locked. Then the holder's swap from "locked" alone fails, and it looks at the list: it hands over, or leaves somebody awake
// behind. And awake ends with m locked.
const (
	mutexLocked  = 1
	mutexWaiters = 2
	mutexAwake   = 4
)

func (m *Mutex) lockSlow() {
	stepped := pool.Stepping()
	if stepped {
		pool.Point(pool.OpLock, m)
	}
	if !m.tryLock() {
		n := m.list.lasting()
		for woken := false; m.enlist(n, woken); woken = true {
			if n.Park(background, pool.WhyLock) != nil {
				m.forget(n)
				n.Exit()
			}
			if n.has {
				break
			}
			n.Prepare()
		}
		m.list.keep(n)
	}
	if stepped {
		pool.Note(pool.OpLock, m)
	}
}

// lockAlways is Lock that no forced shutdown ends, for a Cond, which returns with the lock in any case.
func (m *Mutex) lockAlways() {
	if pool.Stepping() {
		pool.Point(pool.OpLock, m)
		defer pool.Note(pool.OpLock, m)
	}
	if m.tryLock() {
		return
	}
	n := m.list.lasting()
	for woken := false; m.enlist(n, woken); woken = true {
		n.WaitAlways(pool.WhyLock)
		if n.has {
			break
		}
		n.Prepare()
	}
	m.list.keep(n)
}

// enlist puts n on the list, or returns false if the caller has the lock after all. woken says that the caller is the
// one who is awake.
func (m *Mutex) enlist(n *node, woken bool) bool {
	m.list.mu.Lock()
	for {
		s := m.state.Load()
		pool.Inner(m)
		rest := s
		if woken {
			rest &^= mutexAwake
		}
		switch {
		case s&mutexLocked == 0:
			if m.state.CompareAndSwap(s, rest|mutexLocked) {
				m.list.mu.Unlock()
				return false
			}
		case rest|mutexWaiters == s || m.state.CompareAndSwap(s, rest|mutexWaiters):
			pool.Inner(m)
			n.has, n.tried, n.at = false, woken, n.Place()
			if woken {
				m.list.pushFront(n)
			} else {
				m.list.push(n)
			}
			m.list.mu.Unlock()
			return true
		}
	}
}

func (m *Mutex) unlockSlow() {
	if pool.Stepping() {
		pool.Point(pool.OpUnlock, m)
		pool.Note(pool.OpUnlock, m)
	}
	for s := m.state.Load(); s&mutexWaiters == 0; s = m.state.Load() {
		mustBeLocked(s)
		pool.Inner(m)
		if m.state.CompareAndSwap(s, s&^mutexLocked) {
			return
		}
	}
	here, co := pool.Place{}, pool.Current()
	if co != nil {
		here = co.Place()
	}
	m.list.mu.Lock()
	s := m.state.Load()
	if s&mutexLocked == 0 {
		m.list.mu.Unlock()
		mustBeLocked(s)
	}
	n := (*node)(nil)
	if first := m.list.first; first != nil && (s&mutexAwake == 0 || first.at == here) {
		n = m.list.claim()
	}
	next := s & mutexAwake
	if m.list.first != nil {
		next |= mutexWaiters
	}
	if n != nil {
		n.has = n.tried || n.at == here || s&mutexAwake != 0
		if n.has {
			next |= mutexLocked
		} else {
			next |= mutexAwake
		}
	}
	pool.Inner(m)
	swapped := m.state.CompareAndSwap(s, next)
	m.list.mu.Unlock()
	if !swapped { // nobody waits, and another Unlock has been here: one of the two is too many
		m.unlockSlow()
		return
	}
	if n != nil {
		n.DeliverFrom(co)
	}
}

func mustBeLocked(s uint32) {
	if s&mutexLocked == 0 {
		panic("lockstep: Unlock of a tasksync.Mutex that is not locked")
	}
}

// forget takes n, whose wait has ended otherwise, off the list.
func (m *Mutex) forget(n *node) {
	m.list.mu.Lock()
	defer m.list.mu.Unlock()
	m.list.remove(n)
	for m.list.first == nil {
		s := m.state.Load()
		pool.Inner(m)
		if s&mutexWaiters == 0 || m.state.CompareAndSwap(s, s&^mutexWaiters) {
			return
		}
	}
}
