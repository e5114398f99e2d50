package steptest

import (
	"slices"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/pool"
)

// recorder is the chooser of a run: it asks a strategy, or a list of earlier choices, and keeps what was chosen.
//
// A choice is kept as a small number: that of a task as its rank, where 0 is the one that ran last, if it can go on, and the others follow in the
// order of their IDs; anything else as it is. Where there is nothing to choose, nothing is kept. So a list of zeros, or an empty one, is
// the schedule in which tasks run until they wait, and most of a list is zeros.
type recorder struct {
	strategy Strategy // nil: replays
	replay   []uint16
	at       int  // in replay
	strayed  bool // the replay did not fit

	choices  []uint16
	switches int    // choices of another task than the one that could have gone on
	print    uint64 // of everything that was decided and of all that could have been: equal for equal runs
	limit    int    // steps after which it is fair, to tell a loop without an end from one that is starved
	steps    int
	fair     fairChoice
	fairLeft int
	traces   bool

	progress  *relaxed.Uint64
	abandoned *atomic.Bool
	stop      func()
}

// begin prepares for a run.
func (r *recorder) begin(s Strategy, replay []uint16) {
	r.strategy, r.replay = s, replay
	r.at, r.strayed, r.switches, r.print, r.steps, r.fairLeft = 0, false, 0, 14695981039346656037, 0, 0
	r.choices = r.choices[:0]
	r.fair.reset()
}

// fairFor makes the next n steps fair ones.
func (r *recorder) fairFor(n int) { r.fairLeft = n }

// Next is that of pool.Chooser.
func (r *recorder) Next(enabled []*Task, at int) int {
	r.steps++
	r.progress.Add(1)
	if r.abandoned.Load() {
		r.stop()
	}
	k, kept := 0, len(enabled) > 1
	switch {
	case r.steps > r.limit || r.fairLeft > 0:
		// In a replay too: a list that is cut short must not make a loop without an end of one in which somebody is starved. So there is
		// nothing to choose here, and nothing is kept.
		r.fairLeft = max(r.fairLeft-1, 0)
		k, kept = r.fair.next(enabled), false
	case r.strategy != nil:
		k = r.strategy.Next(enabled, at)
	case kept:
		k = r.next(len(enabled), at)
	}
	t := enabled[k]
	r.print = (r.print ^ uint64(len(enabled))<<40 ^ uint64(t.ID)<<8 ^ uint64(t.Op)) * 1099511628211
	if kept {
		r.choices = append(r.choices, uint16(rank(k, at)))
		if at >= 0 && k != at {
			r.switches++
		}
	}
	return k
}

// Decide is that of pool.Chooser.
func (r *recorder) Decide(what Choice, n int) int {
	k := 0
	if r.strategy != nil {
		k = r.strategy.Decide(what, n)
	} else {
		k = r.listed(n)
	}
	r.choices = append(r.choices, uint16(k))
	r.print = (r.print ^ uint64(n)<<40 ^ uint64(k)<<8 ^ uint64(what)) * 1099511628211
	return k
}

// next is the choice of a task by the list.
func (r *recorder) next(n, at int) int {
	if n == 1 {
		return 0
	}
	return unrank(r.listed(n), at)
}

// listed is the next choice of the list, 0 after its end.
func (r *recorder) listed(n int) int {
	if r.at >= len(r.replay) {
		return 0
	}
	k := int(r.replay[r.at])
	r.at++
	if k >= n {
		r.strayed = true
		return k % n
	}
	return k
}

// unfit reports whether the replayed choices were not those of this program: there were others, or more.
func (r *recorder) unfit() bool {
	return r.strayed || r.at < len(r.replay) && slices.ContainsFunc(r.replay[r.at:], func(c uint16) bool { return c != 0 })
}

func rank(k, at int) int {
	switch {
	case k == at:
		return 0
	case k < at:
		return k + 1
	}
	return k
}

func unrank(r, at int) int {
	switch {
	case at < 0:
		return r
	case r == 0:
		return at
	case r <= at:
		return r - 1
	}
	return r
}

// fairChoice takes turns: the task that has not run for longest goes on.
type fairChoice struct {
	last []int // turn of each task
	turn int
}

func (f *fairChoice) reset() {
	clear(f.last)
	f.turn = 0
}

func (f *fairChoice) next(enabled []*Task) int {
	best := 0
	for i, t := range enabled {
		for len(f.last) <= t.ID+1 {
			f.last = append(f.last, 0)
		}
		if f.last[t.ID+1] < f.last[enabled[best].ID+1] {
			best = i
		}
	}
	f.turn++
	f.last[enabled[best].ID+1] = f.turn
	return best
}

var _ pool.Chooser = (*recorder)(nil)
