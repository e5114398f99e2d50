//go:build !race

package relaxed

import "sync/atomic" //lockstep:allow stdatomic see release.go

// Released is a word that says of others, which were written before it, that they may be read: who loads it sees them. Unlike with an atomic store, what the writer
// loads after that may have been loaded before: it is not for two who each write their own word and then look at the other's.
//
// Stores of one thread become visible in their order on amd64, and the compiler keeps them in it.
type Released struct{ v uint64 }

// Load returns a value that was stored.
func (u *Released) Load() uint64 { return atomic.LoadUint64(&u.v) }

// Store publishes v, and what was written before.
func (u *Released) Store(v uint64) { u.v = v }
