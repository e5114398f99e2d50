package chans

import (
	"runtime"

	"go.uber.org/atomic"
)

// spin is the lock of a channel's slow path. It is held for some ten nanoseconds, never
// over a wait, a call of the user's, or an allocation that has a way round. A sync.Mutex would
// put a thread to sleep that meets another one there, which costs a locked thread a hundred times
// what it waits for.
type spin struct{ held atomic.Uint32 }

func (l *spin) lock() {
	if !l.held.CompareAndSwap(0, 1) {
		l.lockSlow()
	}
}

func (l *spin) lockSlow() {
	for i := 0; ; i++ {
		if l.held.Load() == 0 && l.held.CompareAndSwap(0, 1) {
			return
		}
		pause(i)
	}
}

func (l *spin) unlock() { l.held.Store(0) }

// patience is how often one looks again before one gives up the processor: longer than
// another thread holds the lock, unless it has lost its own processor, and then
// looking on would keep it from getting one.
const patience = 200

// pause is called between two looks at something that another thread is about to finish.
func pause(i int) {
	if i >= patience {
		runtime.Gosched()
	}
}
