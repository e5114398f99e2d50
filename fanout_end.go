package lockstep

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/lockstep-go/lockstep/pool"
)

type itemError struct {
	item int
	err  error
}

// failed notes an error of the function.
func (f *fan) failed(i int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all {
		f.errs = append(f.errs, itemError{i, err})
		return
	}
	f.stop(err)
}

// stop lets no further call begin. mu is held. The first cause stays.
func (f *fan) stop(cause error) {
	if f.err == nil {
		f.err = cause
	}
	if f.stopped.CompareAndSwap(false, true) {
		f.ctx.Cancel(cause)
	}
	f.makeRoom()
	f.wakeHead()
}

// over reports whether no call is under way or to come. mu is held.
func (f *fan) over() bool {
	return f.active == 0 && !f.reading && (f.stopped.Load() || !f.unclaimed())
}

// doneLocked wakes the caller at the end. mu is held.
func (f *fan) doneLocked() {
	if x := f.waiter; x != nil && f.over() {
		f.waiter = nil
		x.Wake()
	}
}

// wait waits for the end with x, which is registered, and returns the outcome.
func (f *fan) wait(ctx context.Context, x *pool.Waiter) error {
	err := x.Park(ctx, pool.WhyGroup)
	if err != nil {
		f.mu.Lock()
		if f.active > 0 || f.unclaimed() {
			f.stop(err)
		}
		f.mu.Unlock()
		f.join()
		x.ExitIfDue()
	}
	return f.outcome()
}

// join waits for the calls that have begun, which use what is the caller's: also when the calling task is about to be ended.
func (f *fan) join() {
	f.mu.Lock()
	if f.over() {
		f.mu.Unlock()
		return
	}
	x := pool.NewWaiter()
	f.waiter = x
	f.mu.Unlock()
	x.WaitAlways(pool.WhyGroup)
}

func (f *fan) outcome() error {
	f.ctx.Release()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.panicked != nil:
		panic(f.panicked)
	case f.exited:
		runtime.Goexit()
	case len(f.errs) == 0:
		return f.err
	}
	slices.SortFunc(f.errs, func(a, b itemError) int { return a.item - b.item })
	var all []error
	for _, e := range f.errs {
		all = append(all, e.err)
	}
	return errors.Join(append(all, f.err)...)
}
