package lockstep

import (
	"context"
	"sync"
	"time"

	"github.com/lockstep-go/lockstep/pool"
)

// WithTimeout is context.WithTimeout. Called by a task, its timer is on the timers of the task's worker, where setting it and
// cancelling it are cheap; outside a task, and where no timer is needed, it is the standard library's. The context
// may be used anywhere, also after the task or its pool has ended. Call cancel as soon as it is not needed any more.
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return WithTimeoutCause(parent, d, nil)
}

// WithTimeoutCause is context.WithTimeoutCause as [WithTimeout] is: if the time passes, the context's cause is the given one.
func WithTimeoutCause(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return WithDeadlineCause(parent, pool.Now().Add(d), cause)
}

// WithDeadline is context.WithDeadline as [WithTimeout] is.
func WithDeadline(parent context.Context, at time.Time) (context.Context, context.CancelFunc) {
	return WithDeadlineCause(parent, at, nil)
}

// WithDeadlineCause is context.WithDeadlineCause as [WithTimeout] is.
func WithDeadlineCause(parent context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
	mustContext(parent, "WithDeadline")
	d := at.Sub(pool.Now())
	before, ok := parent.Deadline()
	if pool.Current() == nil || d <= 0 || ok && before.Before(at) {
		return context.WithDeadlineCause(parent, at, cause)
	}
	c := &deadline{parent: parent, at: at, cause: cause}
	c.alarm.Init(c.expire, false)
	c.alarm.Set(d)
	return c, c.cancel
}

// deadline is the context. Most contexts with a deadline are cancelled without anyone having waited for their channel, so the
// standard library's cancel context behind it, inner, is made only when somebody wants the channel or derives from it.
//
// # Protocol
//
// err goes from nil to the reason once, under mu: by the alarm, by cancel, or because the parent has ended, which
// everybody looks at who comes by (so a context whose parent has ended has ended, whether or not it has been
// told), and which ends it by itself once inner is made.
//
// inner is a child of origin and not of the parent, since its Err has to be DeadlineExceeded, which no cancel function sets.
// A cancel context takes error and cause from a parent that has a method AfterFunc; origin keeps the
// one function that it passes there, and end calls it. The channel is so closed before end
// returns, except after the end of the parent, of which AfterFunc of package context tells a goroutine.
type deadline struct {
	parent context.Context
	at     time.Time
	cause  error // if the time passes
	alarm  pool.Alarm

	mu     sync.Mutex
	err    error
	why    error // cause of the end
	inner  context.Context
	close  func()      // ends inner with err and why
	unlink func() bool // from the parent
	free   context.CancelCauseFunc
}

func (c *deadline) Deadline() (time.Time, bool) { return c.at, true }

func (c *deadline) Done() <-chan struct{} {
	done := c.full().Done()
	c.Err()
	return done
}

func (c *deadline) Err() error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err == nil && c.parent.Err() != nil {
		return c.end(nil, nil)
	}
	return err
}

func (c *deadline) Value(key any) any {
	if _, ok := key.(*int); ok { // what package context finds its own contexts by, as in pool.TaskContext
		return c.full().Value(key)
	}
	return c.parent.Value(key)
}

func (c *deadline) String() string { return "lockstep.WithDeadline(" + c.at.String() + ")" }

func (c *deadline) cancel() { c.end(context.Canceled, context.Canceled) }

func (c *deadline) expire() { c.end(context.DeadlineExceeded, c.cause) }

// end ends the context, if it has not ended, for the parent's reason if there is one. It returns the reason.
func (c *deadline) end(err, why error) error {
	if parents := c.parent.Err(); parents != nil {
		err, why = parents, context.Cause(c.parent)
	}
	c.mu.Lock()
	if c.err != nil {
		err = c.err
		c.mu.Unlock()
		return err
	}
	c.err, c.why = err, why
	if why == nil {
		c.why = err
	}
	if err != context.DeadlineExceeded || c.alarm.Pending() { //nolint:errorlint // which reason, not which error
		c.alarm.Stop()
	}
	inner, closing, unlink, free := c.inner, c.close, c.unlink, c.free
	c.mu.Unlock()
	if inner != nil {
		closing()
		free(nil)
		if unlink != nil {
			unlink()
		}
	}
	return err
}

// full returns the standard library's cancel context, made now if need be.
func (c *deadline) full() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inner == nil {
		c.inner, c.free = context.WithCancelCause((*origin)(c))
		if c.err == nil && c.parent.Done() != nil {
			ends := func() { c.end(nil, nil) }
			if d := pool.CurrentStepper(); d != nil {
				c.unlink = d.Follow(c.parent, ends) // and no goroutine tells of it, some time
			} else {
				c.unlink = context.AfterFunc(c.parent, ends)
			}
		}
	}
	return c.inner
}

// origin is the context as inner's parent. Its methods are called by package context only: while inner is made, under mu, or
// in the call of close, when err is set for good. So they take no lock.
type origin deadline

func (o *origin) Deadline() (time.Time, bool) { return o.at, true }

func (o *origin) Done() <-chan struct{} {
	if o.err != nil {
		return over
	}
	return never
}

func (o *origin) Err() error { return o.err }

// Value answers for a cause that is not the reason by a context that has ended with it.
func (o *origin) Value(key any) any {
	if _, ok := key.(*int); ok && o.err != nil && o.why != o.err { //nolint:errorlint // as above
		ended, end := context.WithCancelCause(o.parent)
		end(o.why)
		return ended.Value(key)
	}
	return o.parent.Value(key)
}

// AfterFunc is called once, by the cancel context.
func (o *origin) AfterFunc(f func()) func() bool {
	o.close = f
	return func() bool { return true }
}

var never, over = make(chan struct{}), func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
