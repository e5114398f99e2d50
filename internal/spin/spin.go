// Package spin is a lock that is held for some ten nanoseconds.
//
// It guards the lists of those who wait for a lock or a channel: never held over a wait, or a call of the
// user's. A sync.Mutex would put a thread to sleep that meets another one there, which costs a locked
// thread a hundred times what it waits for.
package spin

import (
	"runtime"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/internal/stepping"
)

// Lock is the lock. The zero value is unlocked.
type Lock struct{ held relaxed.Released32 }

// Lock takes it.
func (l *Lock) Lock() {
	if !l.held.CompareAndSwap(uint32(stepping.Bar.Load()), 1) {
		l.slow()
	}
}

// Unlock gives it back.
func (l *Lock) Unlock() {
	l.held.Store(0)
	if stepping.Fine() {
		l.left()
	}
}

// left is a point after the lock has been left.
//
//go:noinline
func (l *Lock) left() { stepping.Until(l, nil) }

func (l *Lock) slow() {
	for stepping.Fine() && stepping.Until(l, l) { // the holder may stand at a point
		if l.held.CompareAndSwap(0, 1) {
			return
		}
	}
	for i := 0; ; i++ {
		if l.Free() && l.held.CompareAndSwap(0, 1) {
			return
		}
		Pause(i)
	}
}

// Free reports whether nobody has it.
func (l *Lock) Free() bool { return l.held.Load() == 0 }

// patience is how often one looks again before one gives up the processor: longer than
// another thread holds the lock, unless it has lost its own processor, and then
// looking on would keep it from getting one.
const patience = 200

// Pause is called between two looks, number i and the next, at something that another thread is about to finish.
func Pause(i int) {
	if i >= patience {
		runtime.Gosched()
	}
}
