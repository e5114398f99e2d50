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

// StoreFenced is Store, before everything that comes after it.
func (u *Released) StoreFenced(v uint64) { atomic.StoreUint64(&u.v, v) }

// Released32 is half of it, which others may change too, by CompareAndSwap.
type Released32 struct{ v uint32 }

// Load returns a value that was stored.
func (u *Released32) Load() uint32 { return atomic.LoadUint32(&u.v) }

// Store publishes v, and what was written before.
func (u *Released32) Store(v uint32) { u.v = v }

// CompareAndSwap stores new if the word is old.
func (u *Released32) CompareAndSwap(old, new uint32) bool {
	return atomic.CompareAndSwapUint32(&u.v, old, new)
}

// Swap stores new and returns what was there.
func (u *Released32) Swap(new uint32) uint32 { return atomic.SwapUint32(&u.v, new) }
