//go:build race || !amd64

package relaxed

// This is the form for the race detector, and for processors that order stores only if told.

import "sync/atomic" //lockstep:allow stdatomic see relaxed.go

// Released is a word that says of others, which were written before it, that they may be read.
type Released struct{ v atomic.Uint64 }

// Load returns a value that was stored.
func (u *Released) Load() uint64 { return u.v.Load() }

// Store publishes v, and what was written before.
func (u *Released) Store(v uint64) { u.v.Store(v) }

// StoreFenced is Store, before everything that comes after it.
func (u *Released) StoreFenced(v uint64) { u.v.Store(v) }

// Released32 is half of it, which others may change too, by CompareAndSwap.
type Released32 struct{ v atomic.Uint32 }

// Load returns a value that was stored.
func (u *Released32) Load() uint32 { return u.v.Load() }

// Store publishes v, and what was written before.
func (u *Released32) Store(v uint32) { u.v.Store(v) }

// CompareAndSwap stores new if the word is old.
func (u *Released32) CompareAndSwap(old, new uint32) bool { return u.v.CompareAndSwap(old, new) }

// Swap stores new and returns what was there.
func (u *Released32) Swap(new uint32) uint32 { return u.v.Swap(new) }
