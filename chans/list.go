package chans

import (
	"github.com/lockstep-go/lockstep/pool"
)

// node is an operation that waits in a channel: a Send with its value, or a Receive with
// the place for one. It is in one list at most.
//
// Who hands something over claims the wait, under the channel's lock, and then
// writes v and ok; once it has delivered, the node belongs to the one who waited. Who
// waits takes the node off the list, under the lock, if the wait ended otherwise.
type node[T any] struct {
	next, prev *node[T]
	listed     bool
	ok         bool // the operation was done, and not ended by Close
	index      int  // of the case, in a select
	w          *pool.Waiter
	chosen     *int // where a select wants to know which case it was
	own        pool.Waiter
	v          T
}

// claim decides that the wait of n ends by this operation.
func (n *node[T]) claim() bool {
	if !n.w.Claim() {
		return false
	}
	if n.chosen != nil {
		*n.chosen = n.index
	}
	return true
}

// list holds operations that wait, in the order of their arrival. The channel's lock guards it.
type list[T any] struct{ first, last *node[T] }

func (l *list[T]) push(n *node[T]) {
	n.listed, n.prev, n.next = true, l.last, nil
	pool.Inner(l)
	if l.last == nil {
		l.first = n
	} else {
		l.last.next = n
	}
	l.last = n
}

// remove takes n off the list, if it is still there.
func (l *list[T]) remove(n *node[T]) {
	if !n.listed {
		return
	}
	if n.prev == nil {
		l.first = n.next
	} else {
		n.prev.next = n.next
	}
	pool.Inner(l)
	if n.next == nil {
		l.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	n.listed, n.prev, n.next = false, nil, nil
}

// claim takes the first operation off the list whose wait has not ended otherwise.
// It returns nil if there is none; the list is then empty.
func (l *list[T]) claim() *node[T] {
	for n := l.first; n != nil; n = l.first {
		l.remove(n)
		pool.Inner(n)
		if n.claim() {
			return n
		}
	}
	return nil
}

// nodes keeps nodes for the next waits, so that a wait does not allocate. The channel's lock
// guards it.
type nodes[T any] struct {
	first *node[T]
	n     int
}

// keep is how many nodes a channel keeps: those of a crowd are left to the garbage collector.
const keep = 8

func (f *nodes[T]) get() *node[T] {
	n := f.first
	if n != nil {
		f.first, n.next = n.next, nil
		f.n--
	}
	return n
}

func (f *nodes[T]) put(n *node[T]) {
	if f.n < keep {
		n.next, f.first = f.first, n
		f.n++
	}
}
