package chans

import (
	"context"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/pool"
)

// SPSC is a ring with one producer and one consumer: the cheapest way from one
// task or goroutine to another. At any time at most one may push and at most one may pop; if others
// do, in turns, something else has to order them. NewSPSC makes one; it must not be copied. A push
// synchronizes before the pop that returns its value.
//
// # Protocol
//
// tail counts what was pushed, head what was popped; each is written by its own side only. A side
// keeps a copy of the other's counter, which may be old but never says too much, and looks at
// the real one when the copy says that it must wait: so the cache line of a counter moves
// between threads once for many messages.
//
// To wait, a side prepares its wait, stores it in its waiting word, and then looks at the other's counter
// again. The other side stores its counter and then looks at the waiting word. All four are
// sequentially consistent, so one of the two sees the other; if both do, the
// swap of the waiting word decides who ends the wait.
type SPSC[T any] struct {
	buf  []T
	mask uint64

	_     [64]byte
	tail  atomic.Uint64 // written by the producer, as what follows
	heads uint64        // head as last seen
	push  *pool.Waiter
	_     [64]byte
	head  atomic.Uint64 // written by the consumer, as what follows
	tails uint64        // tail as last seen
	pop   *pool.Waiter
	_     [64]byte
	// Nearly always nil and so in both caches.
	pushing, popping atomic.Pointer[pool.Waiter]
	closed           atomic.Bool
}

// NewSPSC returns a ring for at least capacity values, a power of two. It panics unless capacity is positive.
func NewSPSC[T any](capacity int) *SPSC[T] {
	if capacity <= 0 {
		panic("lockstep: chans.NewSPSC needs a positive capacity")
	}
	n := 1
	for n < capacity {
		n <<= 1
	}
	return &SPSC[T]{buf: make([]T, n), mask: uint64(n - 1)}
}

// TryPush appends v. It returns false if the ring is full or closed.
func (r *SPSC[T]) TryPush(v T) bool { return !r.closed.Load() && r.tryPush(v) }

func (r *SPSC[T]) tryPush(v T) bool {
	t := r.tail.Load()
	if t-r.heads > r.mask {
		if r.heads = r.head.Load(); t-r.heads > r.mask {
			return false
		}
	}
	r.buf[t&r.mask] = v
	r.tail.Store(t + 1)
	if r.popping.Load() != nil {
		wake(&r.popping)
	}
	return true
}

// TryPop takes the oldest value. It returns false if there is none.
func (r *SPSC[T]) TryPop() (v T, ok bool) {
	h := r.head.Load()
	if h == r.tails {
		if r.tails = r.tail.Load(); h == r.tails {
			return v, false
		}
	}
	s := &r.buf[h&r.mask]
	v, *s = *s, v
	r.head.Store(h + 1)
	if r.pushing.Load() != nil {
		wake(&r.pushing)
	}
	return v, true
}

// wake ends the wait of the other side.
func wake(p *atomic.Pointer[pool.Waiter]) {
	if x := p.Swap(nil); x != nil && x.Claim() {
		x.Deliver()
	}
}

// PushSome appends as many of vs as there is room for, with one store for all of them, and
// returns how many: 0 if the ring is full or closed.
func (r *SPSC[T]) PushSome(vs []T) int {
	if r.closed.Load() || len(vs) == 0 {
		return 0
	}
	t := r.tail.Load()
	r.heads = r.head.Load()
	n := min(len(vs), int(r.mask+1-(t-r.heads)))
	at := t & r.mask
	first := copy(r.buf[at:], vs[:n])
	copy(r.buf, vs[first:n])
	if n > 0 {
		r.tail.Store(t + uint64(n))
		if r.popping.Load() != nil {
			wake(&r.popping)
		}
	}
	return n
}

// PopSome moves the oldest values into vs, as many as there are and have room, and returns how many.
func (r *SPSC[T]) PopSome(vs []T) int {
	h := r.head.Load()
	r.tails = r.tail.Load()
	n := min(len(vs), int(r.tails-h))
	at := int(h & r.mask)
	first := copy(vs[:n], r.buf[at:])
	clear(r.buf[at : at+first])
	copy(vs[first:n], r.buf)
	clear(r.buf[:n-first])
	if n > 0 {
		r.head.Store(h + uint64(n))
		if r.pushing.Load() != nil {
			wake(&r.pushing)
		}
	}
	return n
}

// Push appends v, and waits while the ring is full, until ctx ends. It returns nil, [ErrClosed], or the
// cause of ctx.
func (r *SPSC[T]) Push(ctx context.Context, v T) error {
	for {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case r.closed.Load():
			return ErrClosed
		case r.tryPush(v):
			return nil
		}
		if err := r.wait(ctx, &r.pushing, &r.push, pool.WhySend, func() bool { return r.tail.Load()-r.head.Load() <= r.mask }); err != nil {
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
		if err := r.wait(ctx, &r.popping, &r.pop, pool.WhyReceive, func() bool { return r.tail.Load() != r.head.Load() }); err != nil {
			return v, err
		}
	}
}

// wait waits until the other side has moved.
func (r *SPSC[T]) wait(ctx context.Context, p *atomic.Pointer[pool.Waiter], own **pool.Waiter, why pool.Why, ready func() bool) error {
	x := *own
	if x == nil || mayEnd(ctx) {
		x = new(pool.Waiter)
	}
	x.Prepare()
	p.Store(x)
	if (ready() || r.closed.Load()) && p.CompareAndSwap(x, nil) {
		return nil // nobody has seen the wait
	}
	if err := x.Park(ctx, why); err != nil {
		p.CompareAndSwap(x, nil)
		*own = nil // if that has failed, the other side still has it
		x.ExitIfDue()
		return err
	}
	if !mayEnd(ctx) {
		*own = x // woken by the other side, which is done with it
	}
	return nil
}

// Close says that nothing more is pushed; what is in the ring can still be popped. Only the producer
// may call it. Closing twice panics.
func (r *SPSC[T]) Close() {
	if r.closed.Swap(true) {
		panic("lockstep: close of a closed SPSC")
	}
	wake(&r.popping)
}

// Len returns how many values are in the ring. It may be called from anywhere, as Cap may.
func (r *SPSC[T]) Len() int {
	h := r.head.Load()
	return int(min(r.tail.Load()-h, r.mask+1))
}

// Cap returns how many values the ring has room for.
func (r *SPSC[T]) Cap() int { return len(r.buf) }
