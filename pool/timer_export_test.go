package pool

// TimerHeap is a worker's timers, for tests and benchmarks.
type (
	TimerHeap struct{ timers }
	TestTimer struct{ timer }
)

func (h *TimerHeap) Add(x *TestTimer, when int64) { h.add(&x.timer, when) }

func (h *TimerHeap) Remove(x *TestTimer) bool { return h.remove(&x.timer) }

// Due removes the first timer if it is due, and calls it.
func (h *TimerHeap) Due(now int64) bool {
	x := h.due(now)
	if x == nil {
		return false
	}
	x.fire()
	return true
}

// First returns when the first timer is due, 0 if there is none.
func (h *TimerHeap) First() int64 {
	if len(h.heap) == 0 {
		return 0
	}
	return h.heap[0].when
}

// Entries returns the number of entries, dead ones included.
func (h *TimerHeap) Entries() int { return len(h.heap) }

// OnFire sets what Due calls.
func (x *TestTimer) OnFire(f func()) { x.fire = f }
