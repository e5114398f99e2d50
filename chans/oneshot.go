package chans

import (
	"context"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/pool"
)

// Oneshot hands one value from one sender to one receiver, as the answer to a request does. The
// zero value is ready for use, also as a field of the request. It must not be copied after first
// use. Send and Close never wait. The call of Send synchronizes before the return of
// the Receive that returns its value.
//
// # Protocol
//
// state goes from empty to sent or to closed, once, by the sender's swap; the receiver may change
// empty to waiting and back. The value is written before the swap, the wait before the change to
// waiting, so each side finds what the other has written. A sender that finds
// waiting wakes the receiver. One that finds empty does not, and the receiver's compare-and-swap
// of empty then fails. A receiver whose wait has ended otherwise tries to change waiting
// back to empty. If it can't, the sender has been there: the value is the receiver's, and is
// left for its next Receive. The wait is not prepared again after that, so
// the sender may look at it.
type Oneshot[T any] struct {
	_     noCopy
	state relaxed.Released32
	again bool // the wait in own has ended, and its context may still call it
	w     *pool.Waiter
	own   pool.Waiter
	v     T
}

const (
	oneshotEmpty uint32 = iota
	oneshotWaiting
	oneshotSent
	oneshotClosed
	oneshotTaken
)

// Send hands over v. It panics if Send or Close has been called before.
func (o *Oneshot[T]) Send(v T) {
	if pool.Stepping() {
		pool.Point(pool.OpSend, o)
	}
	if o.state.Load() > oneshotWaiting {
		panic("lockstep: Oneshot.Send after Send or Close; make a new Oneshot for each value")
	}
	o.v = v
	pool.Inner(o)
	o.settle(oneshotSent)
}

// Close says that no value will come: Receive returns ErrClosed. After Send it does nothing, so
// the sender may defer it. It panics if Close has been called before.
func (o *Oneshot[T]) Close() {
	if pool.Stepping() {
		pool.Point(pool.OpClose, o)
	}
	switch o.state.Load() {
	case oneshotSent, oneshotTaken:
		return
	case oneshotClosed:
		panic("lockstep: Oneshot.Close twice")
	}
	o.settle(oneshotClosed)
}

func (o *Oneshot[T]) settle(state uint32) {
	if o.state.Swap(state) != oneshotWaiting {
		return
	}
	pool.Inner(o)
	if o.w.Claim() {
		pool.Inner(o)
		o.w.DeliverHanded()
	}
}

// Receive returns the value, and waits for it until ctx ends. It returns [ErrClosed] if the sender
// has called Close, and if the value has been received before; and the cause of ctx if that
// has ended and the value has not come: it may be received later. Only one
// Receive may run at a time.
func (o *Oneshot[T]) Receive(ctx context.Context) (v T, err error) {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, o)
	}
	if o.state.Load() <= oneshotWaiting {
		if ctx.Err() != nil {
			return v, context.Cause(ctx)
		}
		if x := o.enlist(); x != nil {
			if err := x.Park(ctx, pool.WhyReceive); err != nil {
				o.again = true
				pool.Inner(o)
				o.state.CompareAndSwap(oneshotWaiting, oneshotEmpty)
				x.ExitIfDue()
				return v, err
			}
		}
	}
	return o.take()
}

// enlist puts the wait of the receiver where the sender finds it. It returns nil if the
// sender has been there.
func (o *Oneshot[T]) enlist() *pool.Waiter {
	x := &o.own
	if o.again {
		x = new(pool.Waiter)
	}
	o.w = x
	x.Prepare()
	pool.Inner(o)
	if o.state.CompareAndSwap(oneshotEmpty, oneshotWaiting) {
		return x
	}
	if o.state.Load() == oneshotWaiting {
		panic("lockstep: two calls of Oneshot.Receive at the same time")
	}
	return nil
}

// TryReceive is Receive if that need not wait, else it returns ErrNotReady.
func (o *Oneshot[T]) TryReceive() (v T, err error) {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, o)
	}
	if o.state.Load() <= oneshotWaiting {
		return v, ErrNotReady
	}
	return o.take()
}

func (o *Oneshot[T]) take() (v T, err error) {
	if o.state.Load() != oneshotSent {
		return v, ErrClosed
	}
	v, o.v = o.v, v
	o.state.Store(oneshotTaken)
	return v, nil
}

// noCopy makes go vet find copies.
type noCopy struct{}

// Lock and Unlock are what go vet looks for.
func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
