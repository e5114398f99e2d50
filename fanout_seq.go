package lockstep

import (
	"context"
	"iter"
	"slices"

	"github.com/lockstep-go/lockstep/pool"
)

// page is a span whose items come from a sequence, and which grows until it is full.
type page[T any] struct {
	span
	items [pageItems]T
}

// A page is allocated for the first of its items, so it is small; and the caller reads ahead by few pages.
const (
	pageItems = 64
	pagesMost = 16
)

// feed calls each for the items of a sequence, through which the caller goes.
func feed[T any](ctx context.Context, f *fan, items iter.Seq[T], each func(context.Context, T) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	f.reading = true
	defer f.leaveSeq() // if the sequence panics, or the caller is ended in it
	var pg *page[T]
	n := 0
	for v := range items {
		if n%pageItems == 0 {
			f.awaitRoom(ctx)
			pg = &page[T]{}
			pg.start(f, n, func(ctx context.Context, _ int, v T) error { return each(ctx, v) })
		}
		if err := context.Cause(ctx); err != nil {
			f.stopWith(err)
		}
		if f.stopped.Load() {
			break // meanwhile
		}
		pg.items[n%pageItems] = v
		n++
		pg.end.Store(int64(n))
		if f.ready.Load() == 0 {
			f.addRunner(ctx, n == 1)
		}
		if f.stopped.Load() {
			break // before the sequence waits for its next item
		}
	}
	return f.finishSeq(ctx)
}

// start makes pg the fan's growing page, whose first item is number first.
func (pg *page[T]) start(f *fan, first int, each func(context.Context, int, T) error) {
	pg.do = func(i int) error {
		slot := &pg.items[i-first]
		v := *slot
		var zero T
		*slot = zero // one call that waits would keep the items of the whole page
		return each(&f.ctx, i, v)
	}
	pg.pos.Store(int64(first))
	pg.end.Store(int64(first))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.growing != nil {
		f.open = append(f.open, f.growing)
	}
	f.growing = &pg.span
}

// addRunner spawns a runner for an item that has been added while none was ready.
func (f *fan) addRunner(ctx context.Context, first bool) {
	if pool.Stepping() {
		pool.Point(pool.OpSpawn, f)
	}
	if first {
		f.ready.Inc()
		f.live++
		if err := accept(ctx, f.q, f.run, f.site, f.call); err != nil { // having waited for room in a bounded pool
			f.ready.Dec()
			f.live--
			f.stopWith(err)
		}
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped.Load() || f.ready.Load() > 0 || f.live >= f.limit {
		return
	}
	f.ready.Inc()
	f.live++
	if at, ok := f.q.Pool().Sleeper(); (!ok || !f.q.SpawnAt(at, f.run, f.site, false)) && !f.q.Spawn(f.run, f.site) {
		f.ready.Dec()
		f.live--
		f.stop(ErrClosed)
	}
}

func (f *fan) stopWith(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop(err)
}

// awaitRoom waits while the caller is too far ahead.
func (f *fan) awaitRoom(ctx context.Context) {
	for {
		f.mu.Lock()
		if f.stopped.Load() || f.roomy(pagesMost) {
			f.mu.Unlock()
			return
		}
		x := pool.NewWaiter()
		f.room = x
		f.mu.Unlock()
		if err := x.Park(ctx, pool.WhyGroup); err != nil {
			f.stopWith(err)
			x.ExitIfDue()
		}
	}
}

// roomy reports whether fewer than n pages have items left. mu is held.
func (f *fan) roomy(n int) bool {
	if len(f.open) < n {
		return true
	}
	f.open = slices.DeleteFunc(f.open, func(s *span) bool { return !s.left() })
	return len(f.open) < n
}

// makeRoom wakes the caller if it may go on for a while: being woken for each page costs as much as the page. mu is held.
func (f *fan) makeRoom() {
	if x := f.room; x != nil && (f.stopped.Load() || f.roomy(pagesMost/2)) {
		f.room = nil
		x.Wake()
	}
}

// finishSeq waits for the end after the whole sequence.
func (f *fan) finishSeq(ctx context.Context) error {
	f.mu.Lock()
	f.reading = false
	if f.over() {
		f.mu.Unlock()
		return f.outcome()
	}
	x := pool.NewWaiter()
	f.waiter = x
	f.mu.Unlock()
	return f.wait(ctx, x)
}

// leaveSeq is deferred around the sequence.
func (f *fan) leaveSeq() {
	f.mu.Lock()
	if !f.reading {
		f.mu.Unlock()
		return
	}
	f.reading = false
	f.stop(context.Canceled)
	f.mu.Unlock()
	f.join()
	f.ctx.Release()
}
