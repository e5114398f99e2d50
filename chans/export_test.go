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
