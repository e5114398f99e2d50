package pool

import "slices"

// Waiters are waits, mostly none, which then take one word.
type Waiters struct{ list *[]*Waiter }

// Add adds x.
func (l *Waiters) Add(x *Waiter) {
	if l.list == nil {
		l.list = new([]*Waiter)
	}
	*l.list = append(*l.list, x)
}

// Remove takes x away, if it is there.
func (l *Waiters) Remove(x *Waiter) {
	if l.list != nil {
		*l.list = slices.DeleteFunc(*l.list, func(y *Waiter) bool { return x == y })
	}
}

// All returns them. The caller must not change it.
func (l Waiters) All() []*Waiter {
	if l.list == nil {
		return nil
	}
	return *l.list
}
