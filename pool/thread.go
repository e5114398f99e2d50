package pool

import (
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/threadcpu"
)

// atomicThread is the identity of a worker's thread, 0 for a floating worker, which
// has none.
type atomicThread struct{ id atomic.Int64 }

// set is called on the worker's goroutine.
func (t *atomicThread) set(floating bool) {
	if !floating {
		t.id.Store(int64(threadcpu.Self()))
	}
}

// Get returns the identity for package threadcpu.
func (t *atomicThread) Get() int { return int(t.id.Load()) }
