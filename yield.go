package lockstep

import (
	"context"
	"runtime"
	"time"

	"github.com/lockstep-go/lockstep/pool"
)

// Yield gives way: every task that is ready on the worker, of this and of other
// queues as their shares have it, may run before it returns. If nothing else is
// ready it returns at once.
//
// Guaranteed: a task that yields in a loop, alone or in a circle of tasks that
// wake each other, keeps nobody from running. It runs at most once in a tick
// (see the package comment), timers and work from other threads are looked at, and its queue
// is charged at least 20 µs for each visit with such a yield.
// Outside a task it is runtime.Gosched.
func Yield() {
	if !pool.Yield() {
		runtime.Gosched()
	}
}

// YieldIfNeeded gives way if the queue's quantum is over, or a queue with a latency goal
// has become ready, and something else can run. It costs a few nanoseconds if not; put
// it where a loop comes by at least every 100 µs or so. Outside a task it does nothing.
func YieldIfNeeded() { pool.YieldIfNeeded() }

// NeedYield reports whether YieldIfNeeded would give way. It is for code that must
// tidy up first (unlock, flush) and then calls Yield. Outside a task it is false.
func NeedYield() bool {
	co := pool.Current()
	return co != nil && co.NeedYield()
}

// Sleep waits for d, or until ctx ends, whose cause it then returns. Inside a task it
// parks the task, and the worker goes on with others. The task is ready again at the
// first look at the clock after d has passed, in the order of the deadlines and, among
// equal ones, of the calls. If d is not positive it is Yield.
func Sleep(ctx context.Context, d time.Duration) error {
	if co := pool.Current(); co != nil {
		return co.Sleep(ctx, d)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if d <= 0 {
		runtime.Gosched()
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
