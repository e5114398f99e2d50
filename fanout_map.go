package lockstep

import (
	"context"
	"iter"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// MapSeq calls f for every item of a sequence, as [ForEachSeq] does, and hands out the results in the order of the
// items, each as soon as it is there and those before it are. The calls go on while the loop's body runs, and are ahead of it
// by at most about a thousand items.
//
// The first error ends the loop: the results before it that are there come first, then the error, and it is the last. With
// [AllErrors] every item has its result or its error, at its place. A context that ends, a closed pool, panics and
// runtime.Goexit do what they do in ForEach. When the loop is left, also by break, the calls that have begun are told by their
// contexts, and waited for.
//
// A result that is ready while the sequence waits for its next item is handed out after that.
//
// The idea is that of github.com/sourcegraph/conc/stream. It panics if ctx, f or the sequence is nil.
//
//go:noinline
func MapSeq[T, R any](ctx context.Context, items iter.Seq[T], f func(ctx context.Context, item T) (R, error), opts ...FanOption) iter.Seq2[R, error] {
	pc := gid.CallerPC()
	mustFunc(f == nil || items == nil, "MapSeq")
	mustContext(ctx, "MapSeq")
	return func(yield func(R, error) bool) {
		m := &mapping[T, R]{fan: newFan(ctx, "MapSeq", pc, opts), call: f, yield: yield}
		m.awaited.Store(-1)
		m.run(ctx, items)
	}
}

// mapping is a MapSeq in its loop.
//
// # Protocol
//
// It is a fan (fanout_run.go) whose caller waits for items in their order. done of an item is stored after its result; then
// its runner loads awaited. The caller stores awaited, under mu and with head set, and then loads done. One of
// them sees the other, so the caller does not wait for an item that is done.
type mapping[T, R any] struct {
	fan      *fan
	call     func(context.Context, T) (R, error)
	yield    func(R, error) bool
	in, out  int              // items read, and handed out
	pages    []*mapPage[T, R] // from that of out to that of in
	awaited  atomic.Int64     // the item for which the caller waits, or -1
	wasBreak bool
}

// mapPage is a page with results.
type mapPage[T, R any] struct {
	page[T]
	done    [pageItems]atomic.Bool
	results [pageItems]R
	errs    [pageItems]error
}

// aheadMost bounds the items that are read and not handed out.
const aheadMost = pagesMost * pageItems

func (m *mapping[T, R]) run(ctx context.Context, items iter.Seq[T]) {
	f := m.fan
	if err := context.Cause(ctx); err != nil {
		m.fail(err)
		return
	}
	f.reading = true
	defer f.leaveSeq() // if the sequence or the body panics, or the caller is ended there
	for v := range items {
		if !m.handOut(ctx, m.in-m.out >= aheadMost) {
			break
		}
		if err := context.Cause(ctx); err != nil {
			f.stopWith(err)
		}
		if f.stopped.Load() {
			break
		}
		m.add(ctx, v)
		if !m.handOut(ctx, false) || f.stopped.Load() {
			break
		}
	}
	for m.out < m.in && !m.wasBreak && !f.stopped.Load() {
		m.handOut(ctx, true)
	}
	m.finish()
}

// add adds an item.
func (m *mapping[T, R]) add(ctx context.Context, v T) {
	f, at := m.fan, m.in%pageItems
	if at == 0 {
		p := &mapPage[T, R]{}
		p.start(f, m.in, func(ctx context.Context, i int, v T) error { return m.item(ctx, p, i, v) })
		m.pages = append(m.pages, p)
	}
	p := m.pages[len(m.pages)-1]
	p.items[at] = v
	m.in++
	p.end.Store(int64(m.in))
	if f.ready.Load() == 0 {
		f.addRunner(ctx, m.in == 1)
	}
}

// item calls the function for item i.
func (m *mapping[T, R]) item(ctx context.Context, p *mapPage[T, R], i int, v T) error {
	r, err := m.call(ctx, v)
	at := i % pageItems
	if err != nil && !m.fan.all {
		return err
	}
	if err == nil {
		p.results[at] = r
	}
	p.errs[at] = err
	p.done[at].Store(true)
	if m.awaited.Load() == int64(i) {
		m.fan.mu.Lock()
		m.fan.wakeHead()
		m.fan.mu.Unlock()
	}
	return nil
}

// handOut hands out what is there. If wait is set it waits for the first. It returns false after a break.
func (m *mapping[T, R]) handOut(ctx context.Context, wait bool) bool {
	for m.out < m.in && !m.wasBreak {
		p, at := m.pages[0], m.out%pageItems
		if !p.done[at].Load() {
			if !wait || !m.await(ctx, &p.done[at]) {
				break
			}
		}
		wait = false
		r, err := p.results[at], p.errs[at]
		m.out++
		if at == pageItems-1 {
			m.pages[0] = nil
			m.pages = m.pages[1:]
		}
		m.wasBreak = !m.yield(r, err)
	}
	return !m.wasBreak
}

// await waits until done is set. It returns false if the fan has stopped before that.
func (m *mapping[T, R]) await(ctx context.Context, done *atomic.Bool) bool {
	f := m.fan
	for {
		f.mu.Lock()
		x := pool.NewWaiter()
		f.head = x
		m.awaited.Store(int64(m.out))
		if done.Load() || f.stopped.Load() {
			f.head = nil
			m.awaited.Store(-1)
			f.mu.Unlock()
			return done.Load()
		}
		f.mu.Unlock()
		if err := x.Park(ctx, pool.WhyGroup); err != nil {
			f.stopWith(err)
			x.ExitIfDue()
		}
	}
}

// finish waits for the calls, and hands out what is left to hand out, and why there is no more.
func (m *mapping[T, R]) finish() {
	f := m.fan
	if m.wasBreak {
		f.leaveSeq()
		_ = f.outcome() // which panics if a call has
		return
	}
	f.mu.Lock()
	f.reading = false
	f.mu.Unlock()
	f.join()
	m.handOut(context.Background(), false)
	err := f.outcome()
	if err != nil && !m.wasBreak {
		m.fail(err)
	}
}

func (m *mapping[T, R]) fail(err error) {
	var zero R
	m.yield(zero, err)
}

// wakeHead wakes the caller that waits for an item. mu is held.
func (f *fan) wakeHead() {
	if x := f.head; x != nil {
		f.head = nil
		x.Wake()
	}
}
