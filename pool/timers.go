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

// due removes and returns the first timer if it is due.
func (t *timers) due(now int64) *timer {
	if len(t.heap) == 0 || t.heap[0].when > now {
		return nil
	}
	return heap.Pop(&t.heap).(*timer)
}

func (w *worker) arm(x *timer, when int64) {
	w.mu.Enter()
	w.timers.add(x, when)
	w.noteTimers()
	w.mu.Exit()
}

// disarm removes a timer of w, if it has not fired. It is called on the thread of on, which is another
// one if the task has moved meanwhile.
func (w *worker) disarm(x *timer, on *worker) {
	if w != on {
		w.mu.Lock()
		defer w.mu.Unlock()
	} else {
		w.mu.Enter()
		defer w.mu.Exit()
	}
	w.timers.remove(x)
	w.noteTimers()
}

// noteTimers publishes when the next timer is due. w.mu is held, by whomever.
func (w *worker) noteTimers() {
	if h := w.timers.heap; len(h) > 0 {
		w.timersDue.Store(uint64(h[0].when))
	} else {
		w.timersDue.Store(0)
	}
}

// fireTimers fires what is due by the clock as last read.
func (w *worker) fireTimers() {
	if at := w.timersDue.Load(); at == 0 || int64(at) > w.now {
		return
	}
	w.outside = true
	defer func() { w.outside = false }()
	for {
		w.mu.Enter()
		due := w.timers.due(w.now)
		w.noteTimers()
		w.mu.Exit()
		if due == nil {
			return
		}
		due.fire()
		w.checkPreempt()
	}
}

// mayResume returns how long the worker may sleep, -1 for ever.
func (w *worker) mayResume() int64 {
	d := w.nextLook()
	if at := w.timersDue.Load(); at != 0 {
		until := max(int64(at)-w.p.now(), 0)
		if d < 0 || until < d {
			d = until
		}
	}
	return d
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
