package chans

import (
	"github.com/lockstep-go/lockstep/internal/membarrier"
	"github.com/lockstep-go/lockstep/pool"
)

// spscFence is how an SPSC does without the barrier between the producer's store of tail and its look at popping, which is two thirds of a push. It is the
// consumer's.
//
// # Protocol
//
// As long as unfenced is false, the producer's store is an exchange, after which it looks. While it is true, the store is a plain one, and the consumer, who
// waits much less often, makes every thread pass a barrier (package membarrier, with the argument) between its store of popping and its look at tail. That
// costs as much as some hundred exchanges, so the consumer sets unfenced when it has popped spscCalm values without a wait, and takes it back when it
// waits sooner than that.
//
// To set it is safe at any time: from then on, forced is set, each wait forces a barrier, whatever the producer has seen of it. To take it back is not enough for a
// wait to do without: the producer may be in the middle of a push for which it has seen true. At most one push is, when the barrier of the
// wait that has taken it back passes; later ones see false. That one stores one more than the consumer reads in tail after that barrier, or has been read. So
// forced lasts until tail has grown beyond what was read then.
//
//	unfenced  forced  pushes                                   a wait
//	false     false   with a barrier                           looks
//	true      true    without                                  forces a barrier and looks
//	false     true    with one, but for the one under way      forces a barrier and looks
type spscFence struct {
	forced bool
	calm   uint64 // spscCalm, but in tests
	waited uint64 // popped, at the last wait
	seen   uint64 // tail, after the barrier of the wait that took unfenced back
}

// spscCalm is how many values without a wait pay for the barrier of the next one.
const spscCalm = 2048

// relax lets pushes go without a barrier from now on, if that is possible.
func (r *SPSC[T]) relax() {
	f := &r.fence
	if !membarrier.Supported() || pool.Stepping() {
		f.waited = r.popped.Own()
		return
	}
	f.forced = true
	r.unfenced.Store(true)
}

// force orders the store of popping before the looks at tail of the wait that now begins, and the producer's store of tail before its look at popping.
func (r *SPSC[T]) force() {
	f := &r.fence
	h := r.popped.Own()
	soon := h-f.waited < f.calm
	f.waited = h
	if !f.forced {
		return
	}
	switch unfenced := r.unfenced.Load(); {
	case !unfenced && r.tail.Load() != f.seen:
		f.forced = false
	case unfenced && soon:
		r.unfenced.Store(false)
		membarrier.All()
		f.seen = r.tail.Load()
	default:
		membarrier.All()
	}
}
