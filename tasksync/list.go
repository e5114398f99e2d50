package tasksync

import (
	"context"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/spin"
	"github.com/lockstep-go/lockstep/pool"
)

// node is somebody who waits.
//
// # Protocol
//
// Nodes are in one list at most, and all of it happens under the list's lock: who waits puts its node there; who gives takes it
// off and claims the wait, and delivers when it has left the lock. If the claim fails, the wait has ended otherwise, and the next node is
// tried. Who finds that its wait has ended without being served takes its node off, if it is still there, and passes on what may
// have waited behind it.
type node struct {
	pool.Waiter
	next, prev *node
	listed     bool
	writes     bool       // RWMutex: a writer
	has        bool       // Mutex: it was handed over
	tried      bool       // Mutex: once in vain
	at         pool.Place // Mutex: its worker
	n          int64      // Semaphore: how much
}

// list holds those who wait, in the order of arrival.
type list struct {
	mu          spin.Lock
	first, last *node
	spare       atomic.Pointer[node] // of the one who waited last, for the next: half the price of nodes
}

func (l *list) push(n *node) {
	n.listed, n.prev, n.next = true, l.last, nil
	pool.Inner(l)
	if l.last == nil {
		l.first = n
	} else {
		l.last.next = n
	}
	l.last = n
}

func (l *list) pushFront(n *node) {
	n.listed, n.prev, n.next = true, nil, l.first
	pool.Inner(l)
	if l.first == nil {
		l.last = n
	} else {
		l.first.prev = n
	}
	l.first = n
}

// remove takes n off the list, if it is still there.
func (l *list) remove(n *node) {
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

// claim takes the first off the list whose wait has not ended otherwise, nil if there is none.
func (l *list) claim() *node {
	for n := l.first; n != nil; n = l.first {
		l.remove(n)
		pool.Inner(n)
		if n.Claim() {
			return n
		}
	}
	return nil
}

// claimed is a list of waits that have been claimed, linked by next, to be delivered when the lock has been left.
type claimed struct{ first, last *node }

func (c *claimed) add(n *node) {
	if c.first == nil {
		c.first = n
	} else {
		c.last.next = n
	}
	c.last = n
}

func (c *claimed) deliver() {
	for n := c.first; n != nil; {
		next := n.next // a node belongs to the one who waited once it is delivered
		n.next = nil
		pool.Inner(n)
		n.DeliverHanded()
		n = next
	}
}

var nodes = sync.Pool{New: func() any { return new(node) }}

// node returns a node for a wait with ctx. One whose context may end is not used again: what the context calls may
// come late.
func (l *list) node(ctx context.Context) *node {
	if pool.MayEnd(ctx) {
		n := new(node)
		n.Prepare()
		return n
	}
	return l.lasting()
}

// lasting returns a node for a wait that no context ends.
func (l *list) lasting() *node {
	n := l.spare.Load()
	pool.Inner(l)
	if n == nil || !l.spare.CompareAndSwap(n, nil) {
		n = nodes.Get().(*node)
	}
	n.Prepare()
	return n
}

// done is called when a wait with ctx has returned, or has not been begun, and the node is in no list.
func (l *list) done(n *node, ctx context.Context) {
	if !pool.MayEnd(ctx) {
		l.keep(n)
	}
}

// keep is done of a node from lasting. A goroutine's is not used again: its channel may be of a synctest bubble, outside of
// which nobody may touch it.
func (l *list) keep(n *node) {
	n.at = pool.Place{} // as Forget does, for the same reason
	switch {
	case !n.Forget():
	case l.spare.Load() == nil:
		l.spare.Store(n) // one that is lost to another's store is garbage
	default:
		nodes.Put(n)
	}
}

var background = context.Background()

// ended returns the cause of a context that has ended, nil otherwise.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
