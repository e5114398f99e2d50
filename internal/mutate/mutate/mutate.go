// Package mutate is what the source that command mutate makes calls: the mutants, of which the environment says which one is on.
package mutate

import (
	"os"
	"strconv"

	"github.com/lockstep-go/lockstep/internal/stepping"
)

var on, _ = strconv.Atoi(os.Getenv("MUTANT"))

// On reports whether mutant number id is on.
func On(id int) bool { return id == on && id != 0 }

// moment is between the two halves of what is not atomic any more: where it is stepped finely, another task may go on.
func moment() {
	if stepping.Fine() && stepping.Until != nil {
		stepping.Until(&on, nil)
	}
}

// CompareAndSwap is that of x; with mutant blind it does not compare, and with mutant apart it is a load and a store.
func CompareAndSwap[T comparable](blind, apart int, x interface {
	Load() T
	Store(T)
	CompareAndSwap(before, after T) bool
}, before, after T,
) bool {
	switch {
	case On(blind):
		moment() // since the load that before is from
		x.Store(after)
		return true
	case On(apart):
		if x.Load() != before {
			return false
		}
		moment()
		x.Store(after)
		return true
	}
	return x.CompareAndSwap(before, after)
}

// Swap is that of x; with the mutant it is a load and a store.
func Swap[T any](apart int, x interface {
	Load() T
	Store(T)
	Swap(T) T
}, v T,
) T {
	if On(apart) {
		before := x.Load()
		moment()
		x.Store(v)
		return before
	}
	return x.Swap(v)
}

// Add is that of x, of by; with the mutant it is a load and a store.
func Add[T int32 | int64 | uint32 | uint64](apart int, x interface {
	Load() T
	Store(T)
	Add(T) T
}, by int64,
) T {
	if On(apart) {
		after := x.Load() + T(by)
		moment()
		x.Store(after)
		return after
	}
	return x.Add(T(by))
}
