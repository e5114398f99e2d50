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
