package chans

import (
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/spin"
	"github.com/lockstep-go/lockstep/pool"
)

// Case is one of the operations that [Select] chooses from. [Recv], [Send], [After] and
// [Default] make them.
type Case interface {
	key() *key                          // of the channel, nil if there is none
	try() bool                          // does it if that is possible at once, and notes how it went
	tryLocked() (outcome, *pool.Waiter) // the same with the lock held
	begin()                             // before it may be enlisted; end comes after
	end()
	supply()
	enlist(s *selection, index int) bool
	withdraw()
	collect() // notes how it went, after the wait
	run() error
}

// key is what a select needs of a channel of any type.
type key struct {
	mu   spin.Lock
	id   uint64        // order of locking
	turn atomic.Uint32 // what a select draws its order from
}

// Recv is the case that receives from c and calls f with the value; ok is false if
// c is closed and empty, as in v, ok := <-c. A nil f drops the value. With a nil c the case never goes ahead.
func Recv[T any](c *Chan[T], f func(v T, ok bool)) Case {
	return &recvCase[T]{c: c, f: f}
}

type recvCase[T any] struct {
	inUse
	c  *Chan[T]
	f  func(T, bool)
	n  node[T]
	v  T
	ok bool
}

func (r *recvCase[T]) key() *key {
	if r.c == nil {
		return nil
	}
	return &r.c.key
}

func (r *recvCase[T]) try() bool {
	v, err := r.c.TryReceive()
	r.v, r.ok = v, err == nil
	return err != ErrNotReady //nolint:errorlint // the very value
}

func (r *recvCase[T]) tryLocked() (o outcome, other *pool.Waiter) {
	r.v, o, other = r.c.accept()
	r.ok = o == done
	return o, other
}

func (r *recvCase[T]) supply() {}

func (r *recvCase[T]) enlist(s *selection, index int) bool {
	r.n.join(s, index)
	return r.c.enlistReceiver(&r.n)
}

func (r *recvCase[T]) withdraw() {
	r.c.receivers.remove(&r.n)
	r.c.calm()
}

func (r *recvCase[T]) collect() {
	var zero T
	r.v, r.ok, r.n.v = r.n.v, r.n.ok, zero
}

func (r *recvCase[T]) run() error {
	if pool.Stepping() {
		pool.Note(pool.OpReceive, r.c)
	}
	var zero T
	v := r.v
	r.v = zero
	if r.f != nil {
		r.f(v, r.ok)
	}
	return nil
}

// Send is the case that sends v on c and then calls f, unless that is nil. If c is closed,
// Select returns [ErrClosed] and f is not called. With a nil c the case never goes ahead.
func Send[T any](c *Chan[T], v T, f func()) Case {
	return &sendCase[T]{c: c, v: v, f: f}
}

type sendCase[T any] struct {
	inUse
	c  *Chan[T]
	v  T
	f  func()
	n  node[T]
	ok bool
}

func (s *sendCase[T]) key() *key {
	if s.c == nil {
		return nil
	}
	return &s.c.key
}

func (s *sendCase[T]) try() bool {
	err := s.c.TrySend(s.v)
	s.ok = err == nil
	return err != ErrNotReady //nolint:errorlint // the very value
}

func (s *sendCase[T]) tryLocked() (outcome, *pool.Waiter) {
	o, other := s.c.offer(s.v)
	s.ok = o == done
	return o, other
}

func (s *sendCase[T]) supply() { s.c.supply() }

func (s *sendCase[T]) enlist(sel *selection, index int) bool {
	s.n.v = s.v
	s.n.join(sel, index)
	return s.c.enlistSender(&s.n)
}

func (s *sendCase[T]) withdraw() {
	s.c.senders.remove(&s.n)
	s.c.calm()
}

func (s *sendCase[T]) collect() { s.ok = s.n.ok }

func (s *sendCase[T]) run() error {
	if !s.ok {
		return ErrClosed
	}
	if s.f != nil {
		s.f()
	}
	return nil
}

// join makes n part of a select.
func (n *node[T]) join(s *selection, index int) {
	n.w, n.chosen, n.index, n.ok = &s.w, &s.chosen, index, false
}

// inUse guards a case against two selects at the same time.
type inUse struct{ busy atomic.Bool }

func (u *inUse) begin() {
	if u.busy.Swap(true) {
		panic("lockstep: a case is used by two selects at the same time; make one for each")
	}
}

func (u *inUse) end() { u.busy.Store(false) }

// After is the case that goes ahead when no other could for the time d, on the clock of the calling task's
// pool, and calls f, unless that is nil. If d is not positive it goes ahead at once.
func After(d time.Duration, f func()) Case { return &afterCase{d: d, f: f} }

// Default is the case that goes ahead when no other can at once, and calls f, unless that is nil.
func Default(f func()) Case { return &defaultCase{f: f} }

type afterCase struct {
	noChannel
	d time.Duration
	f func()
}

type defaultCase struct {
	noChannel
	f func()
}

func (a *afterCase) run() error   { return call(a.f) }
func (d *defaultCase) run() error { return call(d.f) }

func call(f func()) error {
	if f != nil {
		f()
	}
	return nil
}

// noChannel is for cases that are not in the order drawn.
type noChannel struct{}

func (noChannel) key() *key                          { return nil }
func (noChannel) try() bool                          { return false }
func (noChannel) tryLocked() (outcome, *pool.Waiter) { return wait, nil }
func (noChannel) begin()                             {}
func (noChannel) end()                               {}
func (noChannel) supply()                            {}
func (noChannel) enlist(*selection, int) bool        { return false }
func (noChannel) withdraw()                          {}
func (noChannel) collect()                           {}
