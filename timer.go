package lockstep

import (
	"context"
	"time"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// Timer is a single event in the future. [NewTimer] makes one to wait for, [AfterFunc] one that runs a
// function. It has the meaning of time.Timer since Go 1.23, except that Wait stands in the place of the
// channel. All methods are safe for concurrent use, from tasks and from ordinary goroutines. A
// Timer must not be copied.
//
// Set by a task (NewTimer, AfterFunc or Reset), it is on the timers of the task's worker, which no other thread
// touches: setting and stopping it there takes about as long as two readings of the clock. Set outside
// of tasks, it is a timer of the runtime. It may be stopped and
// set again from anywhere, at the price of a few microseconds if that is another thread than its worker's.
//
// Timers of a worker are due at the first look at the clock after their time has passed, in the order
// of their times and, among equal ones, in the order in which they were set. While a task holds
// the worker, helpers look after them. When the worker or the
// pool ends, those that somebody may wait for go on as timers of the runtime.
//
// A timer that nobody refers to any more stays where it is until it is due.
type Timer struct {
	bell  bell
	calls bool // made by AfterFunc; only the bell's lock and alarm are used
}

// NewTimer returns a timer that is due when d has passed, to be waited for with Wait. It does not wait.
func NewTimer(d time.Duration) *Timer {
	t := &Timer{}
	t.bell.init()
	t.bell.set(d, 0)
	return t
}

// AfterFunc runs f as a task when d has passed: of the calling task's queue, beginning on the worker that holds the
// timer. Outside a task it is time.AfterFunc, and f runs on a goroutine of its own.
// The timer's Wait must not be called. It panics if f is nil.
//
// f is a task like one started by [Go], except that it needs no room in a bounded pool, since nobody could wait for it. Close does not
// wait for timers: it waits for tasks, and if the last one ends before the timer is due, f is not called.
//
//go:noinline
func AfterFunc(d time.Duration, f func()) *Timer {
	pc := gid.CallerPC()
	mustFunc(f == nil, "AfterFunc")
	t := &Timer{calls: true}
	if co := pool.Current(); co != nil {
		q, site := co.Pool().Queue(co.Queue()), gid.Site(pc)
		b := pool.NewBirth()
		t.bell.alarm.Init(func() { q.SpawnLate(f, site, b) }, true)
	} else {
		t.bell.alarm.Init(func() { go f() }, false)
	}
	t.bell.alarm.Set(d)
	return t
}

// After is NewTimer(d).Wait as a native channel, which receives the time once d has passed; nobody has
// to receive it. It is for native code, and for ReceiveNative of package chans:
// a task that receives from it directly blocks its thread. A task that only waits calls [Sleep].
func After(d time.Duration) <-chan time.Time {
	if pool.Current() == nil {
		return time.After(d)
	}
	ch := make(chan time.Time, 1)
	a := &pool.Alarm{}
	a.Init(func() { ch <- a.Now() }, false)
	a.Set(d)
	return ch
}

// Wait waits until the timer is due, and returns the time at which it was found to be, or until ctx ends, and returns its
// cause. Each setting of the timer ends one Wait: a value stays until one takes it, the timer is set again or stopped. If
// several wait, the first one gets it. Wait on a stopped timer waits until it is set again.
//
// Inside a task it parks the task. It panics if the timer is an AfterFunc's.
func (t *Timer) Wait(ctx context.Context) (time.Time, error) {
	mustContext(ctx, "Timer.Wait")
	if t.calls {
		panic("lockstep: Wait for a timer of AfterFunc, which runs its function instead; use NewTimer")
	}
	return t.bell.wait(ctx)
}

// Stop takes the timer back and reports whether that has kept it from ending a Wait, or from running its function. After
// Stop no Wait returns a value of before. It does not wait for a function that has begun.
func (t *Timer) Stop() bool {
	t.bell.point()
	t.bell.mu.Lock()
	defer t.bell.mu.Unlock()
	if t.calls {
		return t.bell.alarm.Stop()
	}
	return t.bell.stop()
}

// Reset sets the timer again, for the time when d has passed, and reports what Stop would have. It is set
// where Reset is called; an AfterFunc's function runs where it would have run before. No Wait that
// begins after Reset returns a value of before.
func (t *Timer) Reset(d time.Duration) bool {
	t.bell.point()
	t.bell.mu.Lock()
	defer t.bell.mu.Unlock()
	if !t.calls {
		was := t.bell.stop()
		t.bell.set(d, 0)
		return was
	}
	was := t.bell.alarm.Stop()
	t.bell.alarm.Set(d)
	return was
}
