//go:build !race && !386 && !arm && !mips && !mipsle

// Package relaxed holds words that one thread writes and any thread may read,
// where a reader may see a value that is a moment old.
//
// On amd64 the store of sync/atomic (and so of go.uber.org/atomic) is an
// exchange with a full barrier, about 6 ns here. A worker publishes counters
// at every task, where that would be a tenth of the task's whole cost, so these
// types store plainly and only load atomically. An aligned word is
// written whole on every platform Go runs on, and the Go memory model says that
// a racing reader of a word sees some value that was written to it. Under the
// race detector the stores are atomic as well, so that it stays silent about
// exactly these words and about nothing else. See docs/adr/0003.
package relaxed

import "sync/atomic" //lockstep:allow stdatomic the plain store is the purpose of this package, ADR 0003

// Uint64 is a counter with one writer.
type Uint64 struct{ v uint64 }

// Load returns a value that was stored, not necessarily the newest.
func (u *Uint64) Load() uint64 { return atomic.LoadUint64(&u.v) }

// Store publishes v. Only the one writer may call it.
func (u *Uint64) Store(v uint64) { u.v = v }

// Own returns the value to its writer.
func (u *Uint64) Own() uint64 { return u.v }

// Add adds d. Only the one writer may call it.
func (u *Uint64) Add(d uint64) { u.v += d }
