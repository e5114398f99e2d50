package chans

import (
	"context"
	"iter"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/pool"
)

// Chan is a channel for tasks. New and Unbounded make one; the zero value is not
// usable, and a Chan must not be copied. All methods may be called at the same time from tasks and
// from ordinary goroutines; a task that has to wait parks, a goroutine blocks.
//
// Values are received in the order in which they were sent. The call that sends
// a value synchronizes before the return of the call that receives it, and the k-th
// receive from a channel of capacity C before the return of the (k+C)-th send, as with Go's.
// So does Close before the return of a call that reports that the channel is closed.
type Chan[T any] struct {
	ring[T]
	kind   kind
	linger linger

	key       // with the lock, mu, for what follows
	senders   list[T]
	receivers list[T]
	spare     nodes[T]
	queue     segments[T]
}

type kind uint8

const (
	bounded    kind = iota // the ring; tail and head are as its note says
	rendezvous             // no buffer
	unbounded              // segments
)

var lastID atomic.Uint64

// New returns a channel with a buffer for capacity values. With capacity 0 each Send waits
// for its Receive. It panics if capacity is negative.
func New[T any](capacity int) *Chan[T] {
	if capacity < 0 {
		panic("lockstep: chans.New with a negative capacity; Unbounded makes a channel without a bound")
	}
	c := &Chan[T]{key: key{id: lastID.Inc()}}
	if capacity > 0 {
		c.ring.init(capacity)
		return c
	}
	c.kind = rendezvous
	c.lockOnly()
	return c
}

// Unbounded returns a channel whose Send never waits. Its memory grows with
// the values in it, in steps of 128, and is given back as they are received.
func Unbounded[T any]() *Chan[T] {
	c := &Chan[T]{key: key{id: lastID.Inc()}, kind: unbounded}
	c.lockOnly()
	return c
}

// lockOnly sends every operation to the lock: there is no ring.
func (c *Chan[T]) lockOnly() {
	c.tail.Store(wanted)
	c.head.Store(wanted)
}

// Send sends v, and waits while the channel is full, until ctx ends. It returns nil
// if v is in the channel or received, [ErrClosed] if the channel is closed or is closed while
// it waits, and the cause of ctx if that has ended. Sending on a closed channel is
// an error here and not a panic, since who closes and who sends often cannot know of each other.
func (c *Chan[T]) Send(ctx context.Context, v T) error {
	if pool.Stepping() {
		pool.Point(pool.OpSend, c)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.ring.send(v) {
		return nil
	}
	return c.sendSlow(ctx, v)
}

// Put is Send without a context: it waits as long as it takes. It returns
// nil or ErrClosed.
func (c *Chan[T]) Put(v T) error {
	if pool.Stepping() {
		pool.Point(pool.OpSend, c)
	}
	if c.ring.send(v) {
		return nil
	}
	return c.sendSlow(noContext, v)
}

// TrySend sends v if that is possible without waiting. Otherwise it returns ErrNotReady
// or ErrClosed.
func (c *Chan[T]) TrySend(v T) error {
	if pool.Stepping() {
		pool.Point(pool.OpSend, c)
	}
	if c.ring.send(v) {
		return nil
	}
	return c.trySend(v)
}

// Receive returns the oldest value, and waits while there is none, until ctx ends. It returns
// [ErrClosed] if the channel is closed and everything sent before has been received, and the cause of
// ctx if that has ended.
func (c *Chan[T]) Receive(ctx context.Context) (T, error) {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, c)
	}
	if ctx.Err() != nil {
		var zero T
		return zero, context.Cause(ctx)
	}
	if v, ok := c.ring.receive(); ok {
		return v, nil
	}
	return c.receiveSlow(ctx)
}

// Get is Receive without a context: it waits as long as it takes. ok is false if
// the channel is closed and everything sent before has been received, as in v, ok := <-ch.
func (c *Chan[T]) Get() (v T, ok bool) {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, c)
	}
	if v, ok := c.ring.receive(); ok {
		return v, true
	}
	v, err := c.receiveSlow(noContext)
	return v, err == nil
}

// TryReceive returns the oldest value if there is one. Otherwise it returns ErrNotReady, or ErrClosed
// where Receive would.
func (c *Chan[T]) TryReceive() (T, error) {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, c)
	}
	if v, ok := c.ring.receive(); ok {
		return v, nil
	}
	return c.tryReceive()
}

// All returns the values of the channel, one after the other, for a range loop. It
// ends when the channel is closed and everything sent before has been received, or when
// ctx ends; the loop's caller sees which in ctx.Err(). Breaking off takes nothing more from the channel.
// Several loops may share a channel.
func (c *Chan[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, err := c.Receive(ctx)
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// Close says that no more is sent: sends that wait and all later ones return [ErrClosed]; what
// is in the channel can still be received. Closing twice panics, as with Go's.
func (c *Chan[T]) Close() {
	if pool.Stepping() {
		pool.Point(pool.OpClose, c)
	}
	c.mu.Lock()
	if c.tail.Load()&closed != 0 {
		c.mu.Unlock()
		panic("lockstep: close of a closed channel; only one owner may close it, once")
	}
	for t := c.tail.Load(); !c.tail.CompareAndSwap(t, t|closed); t = c.tail.Load() {
	}
	pool.Inner(&c.ring)
	var ended []*pool.Waiter
	for _, l := range []*list[T]{&c.senders, &c.receivers} {
		for n := l.claim(); n != nil; n = l.claim() {
			n.ok = false
			ended = append(ended, n.w)
		}
	}
	c.calm()
	c.mu.Unlock()
	for _, w := range ended {
		pool.Inner(w)
		w.Deliver()
	}
}

// Len returns the number of values in the buffer, Cap its size: 0 without one, and -1 of an
// unbounded channel.
func (c *Chan[T]) Len() int {
	switch c.kind {
	case bounded:
		return c.ring.len()
	case unbounded:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.queue.n
	}
	return 0
}

// Cap returns the size of the buffer, 0 without one, and -1 of an unbounded channel.
func (c *Chan[T]) Cap() int {
	if c.kind == unbounded {
		return -1
	}
	return int(c.capacity)
}
