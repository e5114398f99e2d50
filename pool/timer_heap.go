package pool

// timers are a worker's pending timers, the next due first. They are guarded by
// the worker's mu.
//
// They are a heap in which each node has four children, of values that hold what is compared: one
// level costs one or two cache lines, and nothing else of the million timers is touched on the way.
// Timers do not know their places, which saves a write to a cold timer for each step.
// So one that is removed stays as a dead entry, told by its number, until it comes to the top or
// until more than half of the entries are dead; then all those go, which is a few steps for each removal.
//
// The first entry is never dead: it says when the worker has to look.
//
// Tried instead: a radix heap with digits of six bits, whose buckets are memory in order. With a million timers it took as
// much CPU time for each as this, within the noise of the machine, since what is cold is the timers
// themselves, and twice as much with a thousand.
type timers struct {
	heap []timerEntry
	seq  uint64
	dead int
	gone bool // the worker has handed its alarms over and takes no others
}

type timerEntry struct {
	when int64
	seq  uint64 // order among equal times: first armed, first fired
	t    *timer
}

// fewDead is how many dead entries are let be in any case.
const fewDead = 64

func (e *timerEntry) before(f *timerEntry) bool {
	return e.when < f.when || e.when == f.when && e.seq < f.seq
}

func (e *timerEntry) live() bool { return e.t.at == e.seq }

func (t *timers) add(x *timer, when int64) {
	t.seq++
	x.at = t.seq
	t.heap = append(t.heap, timerEntry{})
	t.up(len(t.heap)-1, timerEntry{when, t.seq, x})
}

// remove takes x out, and reports whether it was in.
func (t *timers) remove(x *timer) bool {
	if x.at == 0 {
		return false
	}
	x.at = 0
	t.dead++
	if last := len(t.heap) - 1; t.heap[last].t == x && !t.heap[last].live() { // armed and cancelled at once
		t.heap[last] = timerEntry{}
		t.heap = t.heap[:last]
		t.dead--
	}
	t.tidy()
	return true
}

// due removes and returns the first timer if it is due.
func (t *timers) due(now int64) *timer {
	if len(t.heap) == 0 || t.heap[0].when > now {
		return nil
	}
	x := t.heap[0].t
	x.at = 0
	t.pop()
	t.tidy()
	return x
}

// tidy takes dead entries off the top, and all if they are too many.
func (t *timers) tidy() {
	for len(t.heap) > 0 && !t.heap[0].live() {
		t.pop()
		t.dead--
	}
	if t.dead > fewDead && t.dead > len(t.heap)/2 {
		t.sweep()
	}
}

// sweep takes out all dead entries.
func (t *timers) sweep() {
	live := t.heap[:0]
	for _, e := range t.heap {
		if e.live() {
			live = append(live, e)
		}
	}
	clear(t.heap[len(live):])
	t.heap = live
	t.order()
}

// order makes a heap of entries in any order, all of them live.
func (t *timers) order() {
	t.dead = 0
	for i := (len(t.heap)+2)/4 - 1; i >= 0; i-- {
		t.down(i, t.heap[i])
	}
}

func (t *timers) pop() {
	h := t.heap
	last := len(h) - 1
	e := h[last]
	h[last] = timerEntry{}
	t.heap = h[:last]
	if last > 0 {
		t.down(0, e)
	}
}

// up puts e at i or above.
func (t *timers) up(i int, e timerEntry) {
	h := t.heap
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// down puts e at i or below.
func (t *timers) down(i int, e timerEntry) {
	h := t.heap
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for j := first + 1; j < min(first+4, len(h)); j++ {
			if h[j].before(&h[least]) {
				least = j
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}
