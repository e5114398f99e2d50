package lockstep

import (
	"sync"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/queue"
)

// lane runs operations on one worker, one after the other on one task as long as they do not wait. [Keyed] has one
// for each worker, in which operations of a key follow one another; [Sharded] one for each shard.
//
// # Protocol
//
// Operations are sent to in, by anybody, under mu, in parts, which are slices that change hands. The driver, a pinned
// task, takes all parts and calls one operation after the other. Behind it in the run queue is the stand-by, which
// will be the next driver. The worker gets to that only when the driver has ended, or has given way inside an operation: then
// the stand-by leaves that operation to the task that it is on (a strand), takes over the rest, and has provided a
// stand-by of its own.
// So an operation that waits holds up its own key alone, and one that does not costs a call.
//
//	driver   who is it; its in and key: it is in an operation, of that key    a stand-by that starts; the driver
//	part     operations, from next on, and then those of parts                the driver
//	busy     keys of strands, with the operations that follow                 the driver; a strand for its own key
//
// These are touched on the lane's worker alone, and so need no lock: the driver, the stand-by and strands are tasks of
// one thread, and none gives way in between. Floating workers may move a strand or a driver that has given way, so
// there they are under own.
//
//	scheduled    a driver or stand-by is in a run queue or runs    under mu; up by a sender, down by a stand-by that finds nothing
//	strands      operations left to their tasks, not ended          under mu
//	at           the worker                                         under mu; changed only when it leaves and nothing is under way
//
// Nothing is left in in. A sender appends under mu and, unless scheduled, spawns a driver. scheduled goes down under mu by one
// who sees in, parts and part empty.
//
// Operations of a key keep their order: in, parts and a strand's list are filled and emptied in the order of sending, and a
// key is in one strand or in none; while it is in one, the driver appends to that.
type lane[K comparable, F any] struct {
	q        *pool.Queue
	pool     *pool.Pool
	call     func(F)
	keyed    bool // operations of a key follow one another
	floating bool
	capacity *pool.Capacity
	index    int // which of the workers it prefers

	mu        sync.Mutex
	in        [][]op[K, F]
	free      [][]op[K, F] // empty parts
	at        pool.Place
	site      uint32
	scheduled bool
	kept      bool // a task that has started stays on the worker for the lane
	closed    bool
	strands   int
	atRest    *pool.Waiter // to be woken when nothing is under way
	drive     func()       // run, as a func made once

	own    sync.Mutex
	driver *laneRun[K, F]
	part   []op[K, F]
	next   int
	parts  [][]op[K, F]
	nth    int          // of parts is next
	used   [][]op[K, F] // parts that are done with
	busy   map[K]*strand[K, F]
}

// op is an operation. Its drop, if it has one, is called in place of f when a forced shutdown comes first.
type op[K comparable, F any] struct {
	key  K
	f    F
	drop func()
}

// strand is what follows an operation that has given way.
type strand[K comparable, F any] struct {
	co   *pool.Coroutine
	ops  []op[K, F]
	next int
}

// Sizes of parts: of those that batches make, enough that waking the worker for one, 5 µs, is little for each operation (128
// were a third slower, 1024 a little faster); and of those that the lane makes for operations that come
// singly. A lane at rest keeps few, and a short list for them.
const (
	batchMost  = 512
	singleMost = 32
	freeMost   = 16
	partsMost  = 1024
)

func (l *lane[K, F]) init(q *pool.Queue, index int, keyed bool, call func(F)) {
	l.q, l.pool, l.index, l.keyed, l.call = q, q.Pool(), index, keyed, call
	l.floating, l.capacity = l.pool.Floating(), q.Capacity()
	l.drive = l.run
	l.at = l.place()
}

// place is the worker that the lane belongs on now.
func (l *lane[K, F]) place() pool.Place {
	all := l.pool.Places()
	return all[l.index%len(all)]
}

// send adds operations, for which the capacity is already counted. It adds all or none. The part is the lane's
// afterwards, and the caller gets an empty one for it, nil if there is none.
func (l *lane[K, F]) send(part []op[K, F], pc uintptr) ([]op[K, F], error) {
	l.point()
	l.mu.Lock()
	if err := l.ready(pc); err != nil {
		l.mu.Unlock()
		clear(part)
		return part[:0], err
	}
	l.in = append(l.in, part)
	n := len(l.free)
	if n == 0 || cap(l.free[n-1]) < batchMost {
		l.mu.Unlock()
		return nil, nil
	}
	part = l.free[n-1]
	l.free = l.free[:n-1]
	l.mu.Unlock()
	return part, nil
}

// send1 is send for a single operation.
func (l *lane[K, F]) send1(o op[K, F], pc uintptr) error {
	l.point()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(pc); err != nil {
		return err
	}
	n := len(l.in)
	if n == 0 || len(l.in[n-1]) == cap(l.in[n-1]) {
		var part []op[K, F]
		if k := len(l.free); k > 0 {
			part, l.free = l.free[k-1], l.free[:k-1]
		} else {
			part = make([]op[K, F], 0, singleMost)
		}
		l.in = append(l.in, part)
		n++
	}
	l.in[n-1] = append(l.in[n-1], o)
	return nil
}

// point is where stepped tasks may change. None is where a lock of the lane is held.
func (l *lane[K, F]) point() {
	if pool.Stepping() {
		pool.Point(pool.OpSend, l)
	}
}

// ready sees to it that there is a driver for what is about to be added. mu is held.
func (l *lane[K, F]) ready(pc uintptr) error {
	if l.closed || l.pool.Closed() {
		return ErrClosed
	}
	if !l.scheduled {
		l.site = gid.Site(pc)
		if !l.schedule() {
			return ErrClosed
		}
	}
	return nil
}

// schedule spawns a driver. mu is held.
func (l *lane[K, F]) schedule() bool {
	for {
		kept := l.mayStay()
		if !kept && l.at.Leaving() {
			l.at = l.place()
		}
		if l.spawn(l.drive, kept) {
			l.scheduled = true
			return true
		}
		if kept || !l.at.Leaving() {
			return false // the pool is closed
		}
	}
}

// mayStay reports whether the worker has a started task of the lane. mu is held.
func (l *lane[K, F]) mayStay() bool { return l.kept || l.strands > 0 && !l.floating }

// spawn gives f to the lane's worker. It looks after a forced shutdown itself.
func (l *lane[K, F]) spawn(f func(), kept bool) bool {
	return l.q.SpawnAt(l.at, f, l.site|queue.Pinned|queue.Handled, kept)
}

// enter and leave guard what belongs to the worker.
func (l *lane[K, F]) enter() {
	if l.floating {
		l.own.Lock()
	}
}

func (l *lane[K, F]) leave() {
	if l.floating {
		l.own.Unlock()
	}
}

// restLocked wakes who waits for nothing to be under way. mu is held.
func (l *lane[K, F]) restLocked() {
	if x := l.atRest; x != nil && !l.scheduled && l.strands == 0 {
		l.atRest = nil
		x.Wake()
	}
}

// inside reports whether the caller co is in an operation of key.
func (l *lane[K, F]) inside(co *pool.Coroutine, key K) bool {
	if co == nil {
		return false
	}
	l.mu.Lock()
	here := l.floating || co.Place() == l.at
	l.mu.Unlock()
	if !here {
		return false // and what follows is another thread's
	}
	l.enter()
	defer l.leave()
	if d := l.driver; d != nil && d.in && d.co == co {
		return d.key == key
	}
	s := l.busy[key]
	return s != nil && s.co == co
}

// siteNow is where the last driver from outside was spawned.
func (l *lane[K, F]) siteNow() uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.site
}
