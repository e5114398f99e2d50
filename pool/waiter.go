package pool

import (
	"context"
	"errors"
	"time"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/queue"
)

// Waiter is one wait: of a task, which parks, or of an ordinary goroutine, which
// blocks. Prepare it, put it where the waker finds it, and call Wait.
//
// # Protocol
//
// state goes from waiting to claimed once, by whoever comes first: the event, the end of a
// context, or a forced shutdown. Only that one delivers: it makes the task ready or sends to
// the channel, so a task is made ready once for each time that it parks. What the waker hands
// over it writes between Claim and Deliver, where nobody else may. A wake that
// comes between the registration and the parking finds the task running;
// it is then marked as notified and does not park.
//
// A Waiter may be used for another wait, after Prepare, once its wait has returned, if
// nobody can find it any more where it was put, and if the context of that wait could not
// end: what a context calls when it ends may come late.
type Waiter struct {
	co    *Coroutine
	ch    chan struct{}
	state relaxed.Released32
	cause error // of an early end; written before the delivery
	due   bool  // the task is to end by Goexit after this wait
}

const (
	waiting uint32 = iota
	claimed
)

// NewWaiter returns a wait of the calling task or goroutine.
func NewWaiter() *Waiter {
	x := new(Waiter)
	x.Prepare()
	return x
}

// Prepare makes x a wait of the calling task or goroutine.
func (x *Waiter) Prepare() {
	x.cause, x.due = nil, false
	x.state.Store(waiting)
	x.co = Current()
	if x.co == nil && x.ch == nil {
		x.ch = make(chan struct{}, 1) // one delivery is sent and received for each wait
	}
}

// Forget is called when the wait has returned, or has not been begun, by who keeps x for another one: x lets go of the task, so
// that it does not keep a closed pool in memory. It reports whether there was one; a goroutine's Waiter has a channel, which, if it was
// made in a bubble of synctest, must not be used outside.
func (x *Waiter) Forget() (task bool) {
	task = x.co != nil
	x.co = nil
	return task
}

// Place returns the worker of the task that waits, for the task itself, and for who has claimed the wait and not delivered: a task
// moves after that at most. Of a goroutine it is the zero Place.
func (x *Waiter) Place() Place {
	if x.co == nil {
		return Place{}
	}
	return Place{x.co.w}
}

// Wake ends the wait. It reports whether it was this call that did.
func (x *Waiter) Wake() bool { return x.end(nil) }

func (x *Waiter) end(cause error) bool {
	if !x.Claim() {
		return false
	}
	x.cause = cause
	x.Deliver()
	return true
}

// Claim decides that the wait ends by this call and no other, if it reports true.
// The caller must then call Deliver, soon: until then the wait can't end.
func (x *Waiter) Claim() bool { return x.state.CompareAndSwap(waiting, claimed) }

// Deliver ends a wait that has been claimed. It reports whether a task has woken a task of another
// worker by it, at the price of a thread's wake: not on floating workers.
func (x *Waiter) Deliver() (crossed bool) {
	if x.co == nil {
		x.ch <- struct{}{}
		if c := Current(); c != nil && c.w.stepper == nil {
			c.w.linger.Off() // the goroutine may need the P
		}
		return false
	}
	return x.co.unpark(Current(), false)
}

// DeliverHanded is Deliver for what tasks hand to one another with no room in between, such as a lock or a message without a buffer: they are likely to answer
// soon, and the worker that is woken is to look for that a little while before it sleeps again. With a buffer it had better not: messages that find nobody awake
// gather, and are taken in one go.
func (x *Waiter) DeliverHanded() (crossed bool) {
	if x.co == nil {
		return x.Deliver()
	}
	return x.co.unpark(Current(), true)
}

// DeliverFrom is Deliver for callers that know what Current returns.
func (x *Waiter) DeliverFrom(c *Coroutine) (crossed bool) {
	if x.co == nil {
		return x.Deliver()
	}
	return x.co.unpark(c, false)
}

// MayEnd reports whether ctx can end. It may say so of one that can't, but not the other way round. A wait with such a context
// must not be used again: what the context calls may come late.
func MayEnd(ctx context.Context) bool {
	if _, ok := ctx.(*TaskContext); ok {
		return true // its Done would make the channel, which nobody else may ever need
	}
	return ctx.Done() != nil
}

// Wait returns nil when it was woken, or the cause of ctx, or the cause of a forced
// shutdown. A nil error means that a call of Wake or Claim returned true, and the
// other way round. why says what is waited for, for reports. It is Park and ExitIfDue.
func (x *Waiter) Wait(ctx context.Context, why Why) error {
	err := x.Park(ctx, why)
	x.ExitIfDue()
	return err
}

// Park is Wait for callers that have to tidy up before a forced shutdown ends the task in its
// wait: it always returns, and ExitIfDue or Exit is called after that.
func (x *Waiter) Park(ctx context.Context, why Why) error {
	if x.co == nil {
		return x.block(ctx)
	}
	if MayEnd(ctx) || raceEnabled && x.co.w.stepper != nil {
		return x.parkWatching(ctx, why)
	}
	// parkWatching without the watching and park written out, for the reason that swap gives.
	co := x.co
	w := co.w
	x.due = w.killing && co.endsNow() && x.end(ErrShutdown)
	w.mu.Enter()
	if co.wait == notified {
		co.wait = running
		w.mu.Exit()
		return x.cause
	}
	co.wait, co.waiter = parked, x
	w.mu.Exit()
	co.giveWay(why, queue.Task{})
	co.waiter = nil
	return x.cause
}

// parkWatching is Park in a task with a context that may end.
func (x *Waiter) parkWatching(ctx context.Context, why Why) error {
	if c, ok := ctx.(*TaskContext); ok && x.co.w.stepper == nil {
		defer c.unwatch(x, watchLevels)
		if c.watch(x, watchLevels) {
			return x.park(why)
		}
	}
	if ctx.Done() != nil {
		defer x.co.afterFunc(ctx, func() { x.end(context.Cause(ctx)) })()
	}
	return x.park(why)
}

// afterFunc is context.AfterFunc for the next wait of the task, which is the caller. If it is stepped, no goroutine calls f, but the stepper.
func (co *Coroutine) afterFunc(ctx context.Context, f func()) (stop func()) {
	if co.w.stepper != nil {
		return co.stepAfter(ctx, f)
	}
	cancel := context.AfterFunc(ctx, f)
	return func() { cancel() }
}

func (x *Waiter) park(why Why) error {
	// If somebody else was first, the wait ends by that wake: what came with it, such as a
	// place in a group, must not be lost, so the task is ended at its next wait.
	x.due = x.co.endsNow() && x.end(ErrShutdown)
	x.co.park(x, why)
	return x.cause
}

// block is Park on an ordinary goroutine.
func (x *Waiter) block(ctx context.Context) error {
	if Stepping() {
		stepManuals()
	}
	select {
	case <-x.ch:
		return x.cause
	case <-ctx.Done():
		if x.Claim() {
			return context.Cause(ctx)
		}
		<-x.ch
		return x.cause
	}
}

// ParkFor is Park that also ends when d has passed, with ErrTimeUp. Inside a task the time is that of
// the pool's clock. The Waiter must not be used again after that: the timer may come late.
func (x *Waiter) ParkFor(ctx context.Context, d time.Duration, why Why) error {
	if x.co == nil {
		t := time.AfterFunc(d, func() { x.end(ErrTimeUp) })
		defer t.Stop()
		return x.block(ctx)
	}
	w := x.co.w
	if raceEnabled && w.stepper != nil {
		return x.stepParkFor(ctx, d, why)
	}
	t := timer{fire: func() { x.end(ErrTimeUp) }}
	w.arm(&t, w.in(d))
	err := x.Park(ctx, why)
	w.disarm(&t, x.co.w)
	return err
}

// ErrTimeUp is how ParkFor says that its time has passed.
var ErrTimeUp = errors.New("lockstep: the time is up")

// ExitIfDue ends the task by Goexit if it was told before to end by a forced shutdown and
// has waited again.
func (x *Waiter) ExitIfDue() {
	if x.due {
		x.co.kill()
	}
}

// Exit ends the task whose wait a forced shutdown has ended, where there is no error to return.
func (x *Waiter) Exit() { x.co.kill() }

// WaitAlways is Wait without an early end: a forced shutdown does not end
// it. It is for waits that are sure to end by themselves.
func (x *Waiter) WaitAlways(why Why) {
	if x.co == nil {
		if Stepping() {
			stepManuals()
		}
		<-x.ch
		return
	}
	x.co.park(nil, why)
}

// park waits until unpark is called. x, if not nil, is how a forced shutdown may
// end the wait.
func (co *Coroutine) park(x *Waiter, why Why) {
	w := co.w
	if raceEnabled && w.stepper.outside() {
		co.stepPark(x, why)
		return
	}
	w.mu.Enter()
	if co.wait == notified {
		co.wait = running
		w.mu.Exit()
		return
	}
	co.wait, co.waiter = parked, x
	w.mu.Exit()
	co.giveWay(why, queue.Task{})
	co.waiter = nil
}

// unpark makes a parked task ready. It must be called once for each park. c is the caller's own, and handed says that it hands something over, see DeliverHanded.
func (co *Coroutine) unpark(c *Coroutine, handed bool) (crossed bool) {
	w := co.w
	if raceEnabled && w.stepper.tellsWoken(co) {
		return co.stepUnpark(c)
	}
	if c == nil || c.w != w {
		crossed = c != nil && !w.floating
		w.wake(co, handed && crossed)
		return crossed
	}
	w.mu.Enter()
	if co.wait != parked {
		co.wait = notified
		w.mu.Exit()
		return false
	}
	co.wait = running
	if w.outside {
		w.sched.Push(co.qs.q, co.entry())
	} else {
		w.sched.Ready(co.qs.q, co.entry(), co.ran, false)
	}
	w.mu.Exit()
	w.checkPreempt()
	return false
}
