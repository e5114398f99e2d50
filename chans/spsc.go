package chans

import (
	"context"
	"reflect"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/pool"
)

// SPSC is a ring with one producer and one consumer: the cheapest way from one
// task or goroutine to another. At any time at most one may push and at most one may pop; if others
// do, in turns, something else has to order them. NewSPSC makes one; it must not be copied. A push
// synchronizes before the pop that returns its value.
//
// # Protocol
//
// tail counts what was pushed; head counts what was popped. Each is written by its own side only. A side
// keeps a copy of the other's counter, which may be old but never says too much, and looks at
// the real one when the copy says that it must wait: so the cache line of a counter moves
// between threads once for many messages.
//
// The consumer counts in popped, and publishes it in head only once in slack pops, since a store that others must
// see in order, and the look whether the producer waits, cost more than the rest of a pop. There are
// slack more places than the capacity, so a producer that finds the ring full by head is
// right in that capacity values are in it.
//
// To wait, a side prepares its wait, stores it in its waiting word, and then looks at the other's counter
// again. The other side stores its counter and then looks at the waiting word. All four are in one order, see spscFence, so
// one of the two sees the other; if both do, the
// swap of the waiting word decides who ends the wait. A producer's wait begins with at least capacity values in the ring,
// so the consumer comes to the end of its slack, and looks, before they are at an end.
type SPSC[T any] struct {
	buf      []T
	capacity int
	slack    uint64
	holds    bool // values may keep others alive, and so are cleared when they have been popped

	_      [64]byte
	tail   relaxed.Released // written by the producer, as what follows
	heads  uint64           // head as last seen
	in     int              // where the next value goes
	ended  bool
	push   *pool.Waiter
	_      [64]byte
	head   relaxed.Released // written by the consumer, as what follows
	next   uint64           // what popped has to be for head to follow
	tails  uint64           // tail as last seen
	out    int              // where the next value is
	pop    *pool.Waiter
	popped relaxed.Uint64
	fence  spscFence
	space  int // see adapt
	_      [64]byte
	// Nearly always nil and so in both caches.
	pushing, popping atomic.Pointer[pool.Waiter]
	closed           atomic.Bool
	unfenced         atomic.Bool // see spscFence
	linger           linger
}

// NewSPSC returns a ring for capacity values. It panics unless capacity is positive.
func NewSPSC[T any](capacity int) *SPSC[T] {
	if capacity <= 0 {
		panic("lockstep: chans.NewSPSC needs a positive capacity")
	}
	slack := min(capacity, mostSlack)
	return &SPSC[T]{
		buf: make([]T, capacity+slack-1), capacity: capacity, slack: uint64(slack), next: uint64(slack),
		holds: holds(reflect.TypeFor[T]()), fence: spscFence{calm: spscCalm}, space: leastSpace,
	}
}

// mostSlack divides the cost of a store by so many pops; more does not show any more.
const mostSlack = 32

// TryPush appends v. It returns false if the ring is full or closed.
func (r *SPSC[T]) TryPush(v T) bool {
	if pool.Stepping() {
		pool.Point(pool.OpSend, r)
	}
	t := r.tail.Load()
	if t-r.heads >= uint64(len(r.buf)) || r.ended {
		if r.heads = r.head.Load(); t-r.heads >= uint64(len(r.buf)) || r.ended {
			return false
		}
	}
	i := r.in
	r.buf[i] = v
	if i++; i == len(r.buf) {
		i = 0
	}
	r.in = i
	if r.unfenced.Load() {
		r.tail.Store(t + 1)
	} else {
		r.tail.StoreFenced(t + 1)
	}
	if r.popping.Load() != nil {
		r.wake(&r.popping)
	}
	return true
}

// TryPop takes the oldest value. It returns false if there is none.
func (r *SPSC[T]) TryPop() (v T, ok bool) {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, r)
	}
	h := r.popped.Own()
	if h == r.tails {
		if r.tails = r.tail.Load(); h == r.tails {
			return v, false
		}
	}
	i := r.out
	s := &r.buf[i]
	if r.holds {
		v, *s = *s, v
	} else {
		v = *s
	}
	if i++; i == len(r.buf) {
		i = 0
	}
	r.out = i
	r.popped.Store(h + 1)
	if h+1 == r.next {
		r.publish(h + 1)
	}
	return v, true
}

// publish makes room that the producer sees.
func (r *SPSC[T]) publish(h uint64) {
	r.next = h + r.slack
	r.head.StoreFenced(h)
	if r.pushing.Load() != nil {
		r.wake(&r.pushing)
	}
	if h-r.fence.waited >= r.fence.calm && !r.fence.forced {
		r.relax()
	}
}

// wake ends the wait of the other side.
func (r *SPSC[T]) wake(p *atomic.Pointer[pool.Waiter]) {
	pool.Inner(r)
	if x := p.Swap(nil); x != nil && x.Claim() && x.Deliver() {
		r.linger.Near()
	}
}

// PushSome appends as many of vs as there is room for, with one store for all of them, and
// returns how many: 0 if the ring is full or closed.
func (r *SPSC[T]) PushSome(vs []T) int {
	if pool.Stepping() {
		pool.Point(pool.OpSend, r)
	}
	t := r.tail.Load()
	r.heads = r.head.Load()
	n := min(len(vs), len(r.buf)-int(t-r.heads))
	if n <= 0 || r.ended {
		return 0
	}
	first := copy(r.buf[r.in:], vs[:n])
	copy(r.buf, vs[first:n])
	if r.in += n; r.in >= len(r.buf) {
		r.in -= len(r.buf)
	}
	r.tail.StoreFenced(t + uint64(n))
	if r.popping.Load() != nil {
		r.wake(&r.popping)
	}
	return n
}

// PopSome moves the oldest values into vs, as many as there are and have room, and returns how many.
func (r *SPSC[T]) PopSome(vs []T) int {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, r)
	}
	h := r.popped.Own()
	r.tails = r.tail.Load()
	n := min(len(vs), int(r.tails-h))
	if n == 0 {
		return 0
	}
	first := copy(vs[:n], r.buf[r.out:])
	copy(vs[first:n], r.buf)
	if r.holds {
		clear(r.buf[r.out : r.out+first])
		clear(r.buf[:n-first])
	}
	if r.out += n; r.out >= len(r.buf) {
		r.out -= len(r.buf)
	}
	r.popped.Store(h + uint64(n))
	r.publish(h + uint64(n))
	return n
}

// Push appends v, and waits while the ring is full, until ctx ends. It returns nil, [ErrClosed], or the
// cause of ctx.
func (r *SPSC[T]) Push(ctx context.Context, v T) error {
	for {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case r.ended:
			return ErrClosed
		case r.TryPush(v):
			return nil
		}
		if err := r.wait(ctx, &r.pushing, &r.push, pool.WhySend, func() bool { return r.tail.Load()-r.head.Load() < uint64(len(r.buf)) }); err != nil {
			return err
		}
	}
}

// Pop takes the oldest value, and waits while there is none, until ctx ends. It returns
// [ErrClosed] if the ring is closed and empty, or the cause of ctx.
func (r *SPSC[T]) Pop(ctx context.Context) (v T, err error) {
	for {
		if ctx.Err() != nil {
			return v, context.Cause(ctx)
		}
		if v, ok := r.TryPop(); ok {
			return v, nil
		}
		if r.closed.Load() {
			if v, ok := r.TryPop(); ok { // pushed before the close
				return v, nil
			}
			return v, ErrClosed
		}
		if err := r.wait(ctx, &r.popping, &r.pop, pool.WhyReceive, func() bool { return r.tail.Load() != r.popped.Own() }); err != nil {
			return v, err
		}
	}
}

// wait waits until the other side has moved.
func (r *SPSC[T]) wait(ctx context.Context, p *atomic.Pointer[pool.Waiter], own **pool.Waiter, why pool.Why, ready func() bool) error {
	pops := p == &r.popping
	space := leastSpace
	if pops {
		space = r.space
	}
	if r.linger.until(8, space, ready, func() bool { return r.closed.Load() || ctx.Err() != nil }) {
		if pops {
			r.adapt()
		}
		return nil
	}
	var x *pool.Waiter
	again := !pool.MayEnd(ctx)
	if again {
		x, *own = *own, nil
	}
	if x == nil {
		x = new(pool.Waiter)
	}
	x.Prepare()
	p.Store(x)
	pool.Inner(r)
	if pops {
		r.force()
	}
	// If the swap succeeds nobody has seen the wait.
	if !(ready() || r.closed.Load()) || !p.CompareAndSwap(x, nil) {
		if err := x.Park(ctx, why); err != nil {
			pool.Inner(r)
			p.CompareAndSwap(x, nil) // if it fails, the other side still has it
			x.ExitIfDue()
			return err
		}
	}
	if again && x.Forget() { // a goroutine's is not kept: see mayKeep
		*own = x // the other side is done with it
	}
	return nil
}

// A consumer that looks takes the cache line of tail from the producer, and that costs as much as ten messages. In a stream it had better come for many at a time, and in
// a conversation, where the next one comes after the answer, as soon as there is one: space is how long it lets pass before a look, and is twice as long after one
// that has found some, but few, and half as long after one that has found a single value.
const (
	leastSpace = 100   // turns of an empty loop, 50 ns or so
	mostSpace  = 3_200 // 1 to 2 µs
	fewFound   = 64
)

// adapt decides how long to let pass before the next look.
func (r *SPSC[T]) adapt() {
	switch n := r.tail.Load() - r.popped.Own(); {
	case n <= 1:
		r.space = max(r.space/2, leastSpace)
	case n < fewFound:
		r.space = min(r.space*2, mostSpace)
	}
}

// Close says that nothing more is pushed; what is in the ring can still be popped. Only the producer
// may call it. Closing twice panics.
func (r *SPSC[T]) Close() {
	if pool.Stepping() {
		pool.Point(pool.OpClose, r)
	}
	r.ended = true
	pool.Inner(r)
	if r.closed.Swap(true) {
		panic("lockstep: close of a closed SPSC")
	}
	r.wake(&r.popping)
}

// Len returns how many values are in the ring. It may be called from anywhere, and then is a moment old.
func (r *SPSC[T]) Len() int {
	h := r.popped.Load()
	return int(min(r.tail.Load()-h, uint64(len(r.buf))))
}

// Cap returns how many values the ring has room for at least; there may be up to 31 more.
func (r *SPSC[T]) Cap() int { return r.capacity }

// holds reports whether a value of type t may contain a pointer.
func holds(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k <= reflect.Complex128:
		return false
	case k == reflect.Array:
		return t.Len() > 0 && holds(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if holds(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
