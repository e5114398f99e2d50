package chans

// Waiting counts the operations that wait in c.
func Waiting[T any](c *Chan[T]) (senders, receivers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := c.senders.first; n != nil; n = n.next {
		senders++
	}
	for n := c.receivers.first; n != nil; n = n.next {
		receivers++
	}
	return senders, receivers
}

// Pollers counts the goroutines that wait for native channels.
func Pollers() (n int) {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	for _, g := range groups.of {
		n += len(g.pollers)
	}
	return n
}

// HalfSend is the first half of a send into the ring of c: it has its place, and has not written yet. write is the other half.
func HalfSend[T any](c *Chan[T], v T) (write func()) {
	t := c.tail.Load()
	stamp := t >> shift
	if t&flags != 0 || !c.free() || !c.tail.CompareAndSwap(t, c.next(stamp)<<shift) {
		panic("no place")
	}
	return func() {
		s := c.slot(stamp)
		s.v = v
		s.seq.Store(stamp + 1)
	}
}

// Calm sets how many values without a wait take the barrier out of pushes.
func (r *SPSC[T]) Calm(n int) { r.fence.calm = uint64(n) }
