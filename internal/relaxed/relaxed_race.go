//go:build race || 386 || arm || mips || mipsle

package relaxed

// This is the form for the race detector and for 32-bit platforms, where a plain 64-bit
// store is two: stores are atomic.

import "sync/atomic" //lockstep:allow stdatomic see relaxed.go

// Uint64 is a counter with one writer.
type Uint64 struct{ v atomic.Uint64 }

// Load returns a value that was stored.
func (u *Uint64) Load() uint64 { return u.v.Load() }

// Store publishes v. Only the one writer may call it.
func (u *Uint64) Store(v uint64) { u.v.Store(v) }

// Own returns the value to its writer.
func (u *Uint64) Own() uint64 { return u.v.Load() }

// Add adds d. Only the one writer may call it.
func (u *Uint64) Add(d uint64) { u.v.Store(u.v.Load() + d) }
