package chans

import (
	"context"
	"reflect"

	"github.com/lockstep-go/lockstep/pool"
)

// ReceiveNative receives from a native channel. In a task it parks the task and not the
// thread, and few goroutines do the waiting for all tasks of a pool (see below); outside it is a plain
// select of the channel and the context. ok is false if the channel is closed, as in v, ok := <-ch.
// The error is the cause of ctx, if that has ended, or ends before something has been
// received: then nothing has been taken from the channel.
//
// Guaranteed: waits need no goroutine each, and when none is left, the goroutines end, within about 20 ms.
// Today, but not guaranteed: one wait at a time of a goroutine is a plain select; up to
// 16 goroutines a pool wait for one channel or few each, and beyond that each for at most 64.
func ReceiveNative[T any](ctx context.Context, ch <-chan T) (v T, ok bool, err error) {
	if pool.Stepping() {
		pool.Point(pool.OpReceive, ch)
	}
	if ctx.Err() != nil {
		return v, false, context.Cause(ctx)
	}
	select {
	case v, ok = <-ch:
		return v, ok, nil
	default:
	}
	co := pool.Current()
	if co == nil {
		select {
		case v, ok = <-ch:
			return v, ok, nil
		case <-ctx.Done():
			return v, false, context.Cause(ctx)
		}
	}
	r := &nativeReceive[T]{ch: ch}
	if co.Stepped() {
		defer r.meets()()
		if err = co.Poll(ctx, r.takes, pool.WhyReceive); r.met {
			err = nil // who sent it has gone on
		}
		return r.v, r.ok, err
	}
	err = watchFor(ctx, co, &r.watch, r, pool.WhyReceive)
	return r.v, r.ok, err
}

// SendNative sends v on a native channel, and waits as ReceiveNative does. The error is the cause
// of ctx, if that has ended, or ends before v was sent: then it has not been sent. It panics in the caller if the channel is
// closed, as ch <- v does.
func SendNative[T any](ctx context.Context, ch chan<- T, v T) error {
	if pool.Stepping() {
		pool.Point(pool.OpSend, ch)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case ch <- v:
		return nil
	default:
	}
	co := pool.Current()
	if co == nil {
		select {
		case ch <- v:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s := &nativeSend[T]{ch: ch, v: v}
	var err error
	if co.Stepped() {
		if !s.handOver() {
			err = co.Poll(ctx, s.handOver, pool.WhySend)
		}
	} else {
		err = watchFor(ctx, co, &s.watch, s, pool.WhySend)
	}
	if s.panicked != nil {
		panic(s.panicked)
	}
	return err
}

// native is an operation on a native channel, as a poller sees it. Each method that
// does the operation notes the result in the operation itself.
type native interface {
	shared() *watch
	try() bool                       // does it, if it need not wait
	block(kick <-chan struct{}) bool // waits for it; false: for kick
	selectCase() reflect.SelectCase
	settle(v reflect.Value, ok bool) // reflect.Select has done it
}

type nativeReceive[T any] struct {
	watch
	ch  <-chan T
	v   T
	ok  bool
	met bool // by a stepped task that sends
}

func (r *nativeReceive[T]) try() bool {
	select {
	case r.v, r.ok = <-r.ch:
		return true
	default:
		return false
	}
}

func (r *nativeReceive[T]) block(kick <-chan struct{}) bool {
	select {
	case r.v, r.ok = <-r.ch:
		return true
	case <-kick:
		return false
	}
}

func (r *nativeReceive[T]) selectCase() reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(r.ch)}
}

func (r *nativeReceive[T]) settle(v reflect.Value, ok bool) {
	if r.ok = ok; ok {
		r.v, _ = v.Interface().(T) // the assertion fails for a nil interface, whose zero value r.v has
	}
}

type nativeSend[T any] struct {
	watch
	ch       chan<- T
	v        T
	panicked any // by a channel that is closed
}

// A panic of a send is the caller's and must not reach the poller: the send is done, by
// panicking.
func (s *nativeSend[T]) catch(done *bool) {
	if p := recover(); p != nil {
		s.panicked, *done = p, true
	}
}

func (s *nativeSend[T]) try() (done bool) {
	defer s.catch(&done)
	select {
	case s.ch <- s.v:
		return true
	default:
		return false
	}
}

func (s *nativeSend[T]) block(kick <-chan struct{}) (done bool) {
	defer s.catch(&done)
	select {
	case s.ch <- s.v:
		return true
	case <-kick:
		return false
	}
}

func (s *nativeSend[T]) selectCase() reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(s.ch), Send: reflect.ValueOf(&s.v).Elem()}
}

func (s *nativeSend[T]) settle(reflect.Value, bool) {}
