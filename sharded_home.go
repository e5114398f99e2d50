package lockstep

import (
	"context"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// shard is a state with its lane and its home, the task that makes the state, stays on the worker for as long as there is one,
// and closes it.
//
// # Protocol
//
// The home waits with x from the end of open until stop, or until a forced shutdown. Then, closed being set under the lane's mu so
// that nothing more is sent, it waits for the lane to be at rest (nothing in a run queue, no operation under way), and
// closes the state. Since the home has started and has not ended, the worker does not end, and takes what is sent
// to the lane (kept) also when it is one too many. The home waits for rest also in a forced shutdown, which
// ends the operations, as that is what makes the state nobody's.
//
// opened and ended are handles: finished once, waited for by anybody.
type shard[S any] struct {
	lane    lane[struct{}, func(S)]
	number  int
	open    func(int) S
	closing func(S)
	state   S
	x       *pool.Waiter // of the home; under lane.mu

	opened, ended handle
}

func (h *shard[S]) call(f func(S)) { f(h.state) }

// start spawns the home.
func (h *shard[S]) start(pc uintptr) error {
	l := &h.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		l.site = gid.Site(pc)
		if l.spawn(h.run, false) {
			return nil
		}
		if !l.at.Leaving() {
			l.closed = true
			h.opened.finish(ErrClosed)
			h.ended.finish(nil)
			return ErrClosed
		}
		l.at = l.place()
	}
}

// run is the home.
func (h *shard[S]) run() {
	isOpen := false
	defer func() {
		if !isOpen {
			err := error(ErrGoexit)
			defer func() { // also if a panic handler calls Goexit
				h.refuse()
				h.opened.finish(err)
				h.ended.finish(nil)
			}()
			err = outcome(recover(), h.lane.q.Pool())
		}
	}()
	if h.lane.q.Pool().Killed() {
		h.refuse()
		isOpen = true
		h.opened.finish(ErrShutdown)
		h.ended.finish(nil)
		return
	}
	h.state = h.open(h.number)
	isOpen = true
	defer h.end()
	l := &h.lane
	l.mu.Lock()
	x := pool.NewWaiter()
	h.x, l.kept = x, true
	closed := l.closed
	l.mu.Unlock()
	h.opened.finish(nil)
	if closed {
		return
	}
	if err := x.Park(context.Background(), pool.WhyCond); err != nil {
		x.Exit() // end is called
	}
}

// refuse lets nothing more be sent.
func (h *shard[S]) refuse() {
	h.lane.mu.Lock()
	defer h.lane.mu.Unlock()
	h.lane.closed = true
}

// stop makes the home end.
func (h *shard[S]) stop() {
	h.lane.mu.Lock()
	h.lane.closed = true
	x := h.x
	h.x = nil
	h.lane.mu.Unlock()
	if x != nil {
		x.Wake()
	}
}

// end closes the state.
func (h *shard[S]) end() {
	l := &h.lane
	l.mu.Lock()
	l.closed = true
	if l.scheduled || l.strands > 0 {
		x := pool.NewWaiter()
		l.atRest = x
		l.mu.Unlock()
		x.WaitAlways(pool.WhyCond)
	} else {
		l.mu.Unlock()
	}
	defer func() {
		var none S
		h.state = none
		h.ended.finish(nil)
	}()
	if h.closing != nil {
		h.closing(h.state)
	}
}

// nothingWaits reports whether the caller co is on the lane's worker and would be the next to begin there.
func (l *lane[K, F]) nothingWaits(co *pool.Coroutine) bool {
	if l.floating {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return co.Place() == l.at && !l.closed && len(l.in) == 0 && l.next == len(l.part) && l.nth == len(l.parts)
}
