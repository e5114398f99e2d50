// Package biased is a lock that belongs to one owner, who enters and leaves it
// all the time, and that others take now and then.
//
// # Protocol
//
// The owner enters by storing 1 in inside and then loading revoked; if revoked
// is 0 it has the lock. A foreigner holds mu (so there is one foreigner at a time),
// stores 1 in revoked, makes every thread of the process pass a full memory
// barrier (package membarrier), and then waits for inside to be 0.
//
//	who        writes     reads
//	owner      inside     revoked
//	foreigner  revoked    inside (holding mu)
//
// Exclusion: take the owner's store to inside and load of revoked, in program
// order, and the barrier B that the foreigner forces on the owner's thread. If the
// store comes before B, the foreigner, who reads inside after B, sees it and
// waits. If the store comes after B, so does the load, which then sees revoked = 1,
// stored before B, and the owner stands back. There is no third case; in
// particular the processor may move the load before the store, but not both across B.
//
// Release: the owner leaves by storing 0 in inside. On amd64 stores are not
// reordered with earlier loads and stores, so a plain store is a release;
// on arm64 it is a store-release. The foreigner leaves by storing 0 in revoked,
// atomically. The owner waits by blocking on mu, which the foreigner unlocks after that.
//
// The owner pays a store, a load and a store, about 1 ns; the foreigner about
// 6 µs. Where membarrier does not exist, and under the race detector, which
// cannot follow this argument, both sides use mu alone.
//
// The idea is that of biased locking in the Java virtual machine (Kawachiya,
// Koseki and Onodera, 2002) with the asymmetric fence of liburcu and folly.
package biased

import (
	"runtime"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/membarrier"
	"github.com/lockstep-go/lockstep/internal/relaxed"
)

// patience is how often a foreigner looks whether the owner has left. The owner
// stays for tens of nanoseconds, unless its thread lost the processor.
const patience = 2000

// Lock is a biased lock. Call Init before use. A Lock must not be copied
// after first use.
type Lock struct {
	inside    relaxed.Released32
	revoked   atomic.Uint32
	symmetric bool // both sides use mu; revoked is then 1 for good, so that Enter has one test
	mu        sync.Mutex
}

// Init prepares the lock.
func (l *Lock) Init() {
	if !membarrier.Supported() {
		l.symmetric = true
		l.revoked.Store(1)
	}
}

// Enter takes the lock for its owner. Only the owner may call it, and not
// while inside.
func (l *Lock) Enter() {
	l.inside.Store(1)
	if l.revoked.Load() != 0 {
		l.enterSlow()
	}
}

// Exit gives the lock back.
func (l *Lock) Exit() {
	l.inside.Store(0)
	if l.symmetric {
		l.exitSlow()
	}
}

//go:noinline
func (l *Lock) exitSlow() { l.mu.Unlock() }

//go:noinline
func (l *Lock) enterSlow() {
	if l.symmetric {
		l.mu.Lock()
		return
	}
	for l.revoked.Load() != 0 {
		l.inside.Store(0)
		for i := 0; i < patience && l.revoked.Load() != 0; i++ {
		}
		if l.revoked.Load() != 0 {
			l.mu.Lock() // until the foreigner has left
			//lint:ignore SA2001 waiting is the purpose
			l.mu.Unlock()
		}
		l.inside.Store(1)
	}
}

// TryLock takes the lock for a foreigner. It gives up, and returns false, when
// another foreigner has it or the owner does not leave soon. It never
// waits for a thread that lost its processor.
func (l *Lock) TryLock() bool {
	if !l.mu.TryLock() {
		return false
	}
	if l.symmetric {
		return true
	}
	l.revoked.Store(1)
	membarrier.All()
	for range patience {
		if l.inside.Load() == 0 {
			return true
		}
	}
	l.Unlock()
	return false
}

// Lock takes the lock for a foreigner and waits as long as it takes.
func (l *Lock) Lock() {
	for !l.TryLock() {
		runtime.Gosched()
	}
}

// Unlock gives back what TryLock or Lock took.
func (l *Lock) Unlock() {
	if !l.symmetric {
		l.revoked.Store(0)
	}
	l.mu.Unlock()
}
