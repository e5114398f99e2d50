package lockstep

import (
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/pool"
)

// span is a run of items. It fills a pair of cache lines, since the runners of several write to theirs all the time.
type span struct {
	pos, end atomic.Int64
	do       func(i int) error
	at       pool.Place // of the runner that has or had it
	_        [128 - 32]byte
}

// Bounds of a span. A new span takes about 150 ns, which is to be little beside its items; and spans should be
// several for each worker, so that workers seldom share one. They can, item by item, so it may be long for few items.
const (
	spanLeast     = 16
	spanMost      = 512
	spansAWorker  = 8
	spansLookedAt = 8 // on the list of open ones, for one of the same worker
)

// unclaimed reports whether there are items for one more runner. mu is held.
func (f *fan) unclaimed() bool { return f.next < f.n || f.oldest() != nil }

// oldest returns the oldest span with items left, nil if there is none, and forgets those before it. mu is held.
func (f *fan) oldest() *span {
	for len(f.open) > 0 {
		if s := f.open[0]; s.left() {
			return s
		}
		f.open[0] = nil
		f.open = f.open[1:]
	}
	if s := f.growing; s != nil && s.left() {
		return s
	}
	return nil
}

func (s *span) left() bool { return s.pos.Load() < s.end.Load() }

// take returns a span with items, nil if there is none. mu is held. What a runner of this worker has left
// comes first, since it waits or has ended; then new items; then those of runners elsewhere.
func (f *fan) take(at pool.Place) *span {
	f.makeRoom()
	if f.stopped.Load() {
		return nil
	}
	for _, s := range f.open[:min(len(f.open), spansLookedAt)] {
		if (s.at == at || f.limit == 1) && s.left() {
			return s
		}
	}
	if f.next == f.n {
		return f.oldest()
	}
	s := &span{do: f.do, at: at}
	s.pos.Store(int64(f.next))
	f.next = min(f.next+f.grain, f.n)
	s.end.Store(int64(f.next))
	f.open = append(f.open, s)
	return s
}

// claim takes the next item.
func (s *span) claim() (i int, ok bool) {
	for {
		at := s.pos.Load()
		if at >= s.end.Load() {
			return 0, false
		}
		if s.pos.CompareAndSwap(at, at+1) {
			return int(at), true
		}
	}
}
