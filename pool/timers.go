package pool

import "container/heap"

// timer makes a parked task ready, or calls a function on the worker, at a time on
// the pool's clock.
type timer struct {
	when int64
	seq  uint64 // order among equal times: first armed, first fired
	at   int    // place in the heap plus one, 0 when not armed
	fire func()
}

// timers are a worker's pending timers, the next due first. They are guarded by
// the worker's mu.
type timers struct {
	heap timerHeap
	seq  uint64
}

func (t *timers) add(x *timer, when int64) {
	t.seq++
	x.when, x.seq = when, t.seq
	heap.Push(&t.heap, x)
}

func (t *timers) remove(x *timer) {
	if x.at > 0 {
		heap.Remove(&t.heap, x.at-1)
	}
}

func (w *worker) arm(x *timer, when int64) {
	w.mu.Enter()
	w.timers.add(x, when)
	w.mu.Exit()
}

func (w *worker) disarm(x *timer) {
	w.mu.Enter()
	w.timers.remove(x)
	w.mu.Exit()
}

// fireTimers fires what is due by the clock as last read.
func (w *worker) fireTimers() {
	if len(w.timers.heap) == 0 {
		return
	}
	w.outside = true
	defer func() { w.outside = false }()
	for {
		var due *timer
		w.mu.Enter()
		if h := w.timers.heap; len(h) > 0 && h[0].when <= w.now {
			due = heap.Pop(&w.timers.heap).(*timer)
		}
		w.mu.Exit()
		if due == nil {
			return
		}
		due.fire()
		w.checkPreempt()
	}
}

// untilTimer returns how long the worker may sleep, -1 for ever.
func (w *worker) untilTimer() int64 {
	w.mu.Enter()
	defer w.mu.Exit()
	if len(w.timers.heap) == 0 {
		return -1
	}
	return max(w.timers.heap[0].when-w.p.now(), 0)
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].when < h[j].when || h[i].when == h[j].when && h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i+1, j+1
}
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	*h = append(*h, t)
	t.at = len(*h)
}
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.at = 0
	return t
}
