package tasksync

import (
	"context"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/stepping"
	"github.com/lockstep-go/lockstep/pool"
)

// RWMutex is a lock for many readers or one writer that parks tasks. The zero value is unlocked.
//
// Neither side starves: a reader that comes while a writer waits, waits too; when a writer unlocks, all readers that wait go first, and when the
// last of them has gone, the writer who waits longest. So a reader waits for one writer at most, beside the readers that are in.
// RLock must not be called by who has it already: a writer may wait in between, for both.
//
// # Protocol
//
// state counts readers in units of rwReader; rwWriter says that a writer has it, rwWaiters that the list is not empty, which is changed
// under the list's lock alone. While rwWaiters is set, the state changes under that lock alone.
type RWMutex struct {
	_     noCopy
	state atomic.Int64
	list  list
}

const (
	rwWriter  = 1
	rwWaiters = 2
	rwReader  = 4
)

// Lock locks rw for writing, and waits for it if need be.
func (rw *RWMutex) Lock() {
	if !rw.state.CompareAndSwap(int64(stepping.Bar.Load()), rwWriter) {
		rw.lockSlow(true)
	}
}

// LockContext is Lock that gives up when ctx ends. It returns nil when it has locked rw, else the cause of ctx or of a forced Shutdown.
func (rw *RWMutex) LockContext(ctx context.Context) error { return rw.lock(ctx, true) }

// TryLock locks rw for writing if it is free and nobody waits; it does not wait.
func (rw *RWMutex) TryLock() bool { return rw.try(true) }

// Unlock ends writing. It panics if rw is not locked for writing.
func (rw *RWMutex) Unlock() {
	if !rw.state.CompareAndSwap(int64(stepping.Bar.Load()+rwWriter), 0) {
		rw.unlockSlow()
	}
}

// RLock locks rw for reading, and waits for it if need be.
func (rw *RWMutex) RLock() {
	if pool.Stepping() || !rw.take(false) {
		rw.lockSlow(false)
	}
}

// RLockContext is RLock that gives up when ctx ends, as LockContext does.
func (rw *RWMutex) RLockContext(ctx context.Context) error { return rw.lock(ctx, false) }

// TryRLock locks rw for reading if no writer has it and nobody waits; it does not wait.
func (rw *RWMutex) TryRLock() bool { return rw.try(false) }

func (rw *RWMutex) try(writes bool) bool {
	if pool.Stepping() {
		pool.Point(pool.OpTryLock, rw)
	}
	ok := rw.take(writes)
	if ok && pool.Stepping() {
		pool.Note(lockOp(writes), rw)
	}
	return ok
}

// lockOp is locking, as stepped tasks' reports call it.
func lockOp(writes bool) pool.Op {
	if writes {
		return pool.OpLock
	}
	return pool.OpRLock
}

// RUnlock ends reading. It panics if rw is not locked for reading.
func (rw *RWMutex) RUnlock() {
	if pool.Stepping() {
		pool.Point(pool.OpRUnlock, rw)
		pool.Note(pool.OpRUnlock, rw)
	}
	for {
		s := rw.state.Load()
		if s < rwReader {
			panic("lockstep: RUnlock of a tasksync.RWMutex that is not locked for reading")
		}
		if s&rwWaiters != 0 {
			rw.leave(false)
			return
		}
		if rw.state.CompareAndSwap(s, s-rwReader) {
			return
		}
	}
}

// RLocker returns a sync.Locker whose methods are RLock and RUnlock.
func (rw *RWMutex) RLocker() sync.Locker { return (*reader)(rw) }

type reader RWMutex

func (r *reader) Lock()       { (*RWMutex)(r).RLock() }
func (r *reader) Unlock()     { (*RWMutex)(r).RUnlock() }
func (r *reader) lockAlways() { (*RWMutex)(r).always(false) }

func (rw *RWMutex) lockAlways() { rw.always(true) }

func (rw *RWMutex) lock(ctx context.Context, writes bool) (err error) {
	if err := ended(ctx); err != nil {
		return err
	}
	if pool.Stepping() {
		pool.Point(lockOp(writes), rw)
		defer func() {
			if err == nil {
				pool.Note(lockOp(writes), rw)
			}
		}()
	}
	if rw.take(writes) {
		return nil
	}
	n := rw.list.node(ctx)
	if !rw.enlist(n, writes) {
		rw.list.done(n, ctx)
		return nil
	}
	err = n.Park(ctx, pool.WhyLock)
	if err != nil {
		rw.forget(n)
		n.ExitIfDue()
	}
	rw.list.done(n, ctx)
	return err
}

func (rw *RWMutex) unlockSlow() {
	if pool.Stepping() {
		pool.Point(pool.OpUnlock, rw)
		pool.Note(pool.OpUnlock, rw)
	}
	rw.leave(true)
}

func (rw *RWMutex) lockSlow(writes bool) {
	if pool.Stepping() {
		pool.Point(lockOp(writes), rw)
		defer pool.Note(lockOp(writes), rw)
		if rw.take(writes) {
			return
		}
	}
	n := rw.list.lasting()
	if rw.enlist(n, writes) && n.Park(background, pool.WhyLock) != nil {
		rw.forget(n)
		n.Exit()
	}
	rw.list.keep(n)
}

// always is Lock or RLock that no forced shutdown ends.
func (rw *RWMutex) always(writes bool) {
	if pool.Stepping() {
		pool.Point(lockOp(writes), rw)
		defer pool.Note(lockOp(writes), rw)
	}
	if rw.take(writes) {
		return
	}
	n := rw.list.lasting()
	if rw.enlist(n, writes) {
		n.WaitAlways(pool.WhyLock)
	}
	rw.list.keep(n)
}

// take locks rw if nothing is in the way.
func (rw *RWMutex) take(writes bool) bool {
	for {
		s := rw.state.Load()
		switch {
		case writes && s != 0 || s&(rwWriter|rwWaiters) != 0:
			return false
		case rw.state.CompareAndSwap(s, s+weight(writes)):
			return true
		}
	}
}

func weight(writes bool) int64 {
	if writes {
		return rwWriter
	}
	return rwReader
}

// enlist puts n on the list, or returns false if the caller has the lock after all.
func (rw *RWMutex) enlist(n *node, writes bool) bool {
	n.writes = writes
	rw.list.mu.Lock()
	for {
		s := rw.state.Load()
		pool.Inner(rw)
		if s&rwWaiters != 0 || (s&rwWriter != 0 || writes && s != 0) && rw.state.CompareAndSwap(s, s|rwWaiters) {
			pool.Inner(rw)
			rw.list.push(n)
			rw.list.mu.Unlock()
			return true
		}
		if rw.take(writes) {
			rw.list.mu.Unlock()
			return false
		}
	}
}

// leave unlocks under the list's lock.
func (rw *RWMutex) leave(writes bool) {
	rw.list.mu.Lock()
	for {
		s := rw.state.Load()
		if writes && s&rwWriter == 0 || !writes && s < rwReader {
			rw.list.mu.Unlock()
			panic("lockstep: Unlock of a tasksync.RWMutex that is not locked for that")
		}
		pool.Inner(rw)
		if rw.state.CompareAndSwap(s, s-weight(writes)) { // it fails only where one unlock too many, or without somebody who waits, meets this one
			break
		}
	}
	served := rw.serve(writes)
	rw.list.mu.Unlock()
	served.deliver()
}

// serve lets in who may enter now. After a writer these are the readers, all that wait; after the last reader it is the first
// writer. The list's lock is held.
func (rw *RWMutex) serve(afterWriter bool) (served claimed) {
	if rw.state.Load()&rwWriter == 0 {
		if afterWriter || !rw.writerWaits() {
			rw.admitReaders(&served)
		}
		if rw.state.Load() < rwReader {
			rw.admitWriter(&served)
		}
	}
	if rw.list.first == nil && rw.state.Load()&rwWaiters != 0 {
		pool.Inner(rw)
		rw.state.Sub(rwWaiters)
	}
	return served
}

func (rw *RWMutex) writerWaits() bool {
	for n := rw.list.first; n != nil; n = n.next {
		if n.writes {
			return true
		}
	}
	return false
}

func (rw *RWMutex) admitReaders(served *claimed) {
	for n := rw.list.first; n != nil; {
		next := n.next
		if !n.writes {
			rw.admit(n, served)
		}
		n = next
	}
}

func (rw *RWMutex) admitWriter(served *claimed) {
	for n := rw.list.first; n != nil; {
		next := n.next
		if n.writes && rw.admit(n, served) {
			return
		}
		n = next
	}
}

// admit takes n off the list and lets it in, if its wait has not ended otherwise.
func (rw *RWMutex) admit(n *node, served *claimed) bool {
	rw.list.remove(n)
	pool.Inner(n)
	if !n.Claim() {
		return false
	}
	rw.state.Add(weight(n.writes))
	served.add(n)
	return true
}

// forget takes n, whose wait has ended otherwise, off the list. If it was the last writer, readers may have waited for it alone.
func (rw *RWMutex) forget(n *node) {
	rw.list.mu.Lock()
	rw.list.remove(n)
	served := rw.serve(false)
	rw.list.mu.Unlock()
	served.deliver()
}
