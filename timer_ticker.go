package lockstep

import (
	"context"
	"iter"
	"time"
)

// Ticker is an event that comes again and again. It has the meaning of time.Ticker since Go 1.23, except that Wait
// stands in the place of the channel. Where it lives, and what it costs, is as for a [Timer]. All methods are safe for
// concurrent use. A Ticker must not be copied.
//
// It does not drift: the n-th tick is due n periods after the Ticker was made or reset, however late the ones before were
// found to be. A tick that nobody has received when the next one is due stays, and the next one is dropped.
type Ticker struct{ bell bell }

// NewTicker returns a ticker with the period d. It panics if d is not positive.
func NewTicker(d time.Duration) *Ticker {
	mustPeriod(d, "NewTicker")
	t := &Ticker{}
	t.bell.init()
	t.bell.set(d, d)
	return t
}

// Wait waits for the next tick that nobody has received, and returns the time at which it was found to be due, or until
// ctx ends, and returns its cause. If several wait, the first one gets it. Inside a task it parks the task. On a
// stopped ticker it waits until that is reset.
func (t *Ticker) Wait(ctx context.Context) (time.Time, error) {
	mustContext(ctx, "Ticker.Wait")
	return t.bell.wait(ctx)
}

// All returns the ticks until ctx ends, for a range loop.
func (t *Ticker) All(ctx context.Context) iter.Seq[time.Time] {
	mustContext(ctx, "Ticker.All")
	return func(yield func(time.Time) bool) {
		for {
			at, err := t.bell.wait(ctx)
			if err != nil || !yield(at) {
				return
			}
		}
	}
}

// Stop stops the ticks. After Stop no Wait returns a tick of before. It ends no Wait.
func (t *Ticker) Stop() {
	t.bell.point()
	t.bell.mu.Lock()
	defer t.bell.mu.Unlock()
	t.bell.stop()
}

// Reset makes the next tick due one new period from now, and drops one that nobody has received. It panics
// if d is not positive.
func (t *Ticker) Reset(d time.Duration) {
	mustPeriod(d, "Ticker.Reset")
	t.bell.point()
	t.bell.mu.Lock()
	defer t.bell.mu.Unlock()
	t.bell.stop()
	t.bell.set(d, d)
}

func mustPeriod(d time.Duration, call string) {
	if d <= 0 {
		panic("lockstep: " + call + " with a period that is not positive")
	}
}
