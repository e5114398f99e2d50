package chans

import (
	"context"
	"slices"
	"time"

	"github.com/lockstep-go/lockstep/pool"
)

// Select waits until one of the cases can go ahead, does it, calls the case's function and
// returns its index. If several can, one is chosen at random, each with the same chance. Without a
// case that can go ahead it takes [Default] if there is one, else the first [After] whose
// time has passed. It returns -1 and the cause of ctx if that has ended, or ends before any case can go ahead; nothing has
// happened then. A [Send] on a closed channel can go ahead too: its function is not called, and
// Select returns its index and [ErrClosed].
//
// The functions are called by the caller's task or goroutine, after the select, and may do anything. A case may be
// used again, but not in two selects at the same time; cases made once, before a loop, save allocations.
// It panics if there are more than 255 cases. The choice does not use a source of randomness outside the channels, so a program stepped
// from a seed repeats it.
//
// # Protocol
//
// First each case is tried by itself, in the order drawn. If none can go ahead, the locks of
// all channels are taken, in the order of the channels' numbers so that no two selects wait for
// each other; the cases are tried once more; and then one wait, of all cases together, is put into the
// lists. Who can serve one of them claims that wait, and so no second one can. Since the select is in
// no list before it is in all, it never has to serve a case while another may be served for
// it: two selects that could serve each other would otherwise have to claim two waits at once.
func Select(ctx context.Context, cases ...Case) (int, error) {
	if ctx.Err() != nil {
		return -1, context.Cause(ctx)
	}
	if pool.Stepping() {
		pool.Point(pool.OpSelect, nil)
	}
	var space [2 * selectSpace]uint8
	order := draw(space[:0], cases)
	for _, i := range order {
		if cases[i].try() {
			return int(i), cases[i].run()
		}
	}
	late, d := -1, time.Duration(0)
	for i, c := range cases {
		switch c := c.(type) {
		case *defaultCase:
			return i, c.run()
		case *afterCase:
			if late < 0 || c.d < d {
				late, d = i, c.d
			}
		}
	}
	if late >= 0 && d <= 0 {
		return late, cases[late].run()
	}
	return (&selection{cases: cases, late: late, d: d}).wait(ctx, order)
}

// selectSpace is for how many cases the order is on the stack.
const selectSpace = 12

// draw appends the indices of the cases that have a channel to order, shuffled.
func draw(order []uint8, cases []Case) []uint8 {
	if len(cases) > 255 {
		panic("lockstep: Select with more than 255 cases; let several tasks select")
	}
	random := uint32(0)
	for i, c := range cases {
		if k := c.key(); k != nil {
			if len(order) == 0 {
				random = k.turn.Inc() * 0x9E3779B1 // each select at a channel gets another number, spread over the word
				random ^= random >> 15
			}
			order = append(order, uint8(i))
		}
	}
	if pool.Stepping() {
		if first := pool.Decide(pool.ChoiceCase, len(order)); first >= 0 {
			return append(order[first:], order[:first]...)
		}
	}
	for n := uint32(len(order)); n > 1; n-- {
		random = random*1664525 + 1013904223 // Numerical Recipes' generator; its high bits are good enough for this
		j := uint64(random) * uint64(n) >> 32
		order[j], order[n-1] = order[n-1], order[j]
	}
	return order
}

// selection is a select that has to wait.
type selection struct {
	w      pool.Waiter
	chosen int // by who claims the wait
	cases  []Case
	late   int // the first After, or -1
	d      time.Duration
}

func (s *selection) wait(ctx context.Context, order []uint8) (int, error) {
	byID := slices.Clone(order)
	slices.SortFunc(byID, func(a, b uint8) int {
		if s.cases[a].key().id < s.cases[b].key().id {
			return -1
		}
		return 1
	})
	for _, i := range order {
		s.cases[i].begin()
	}
	i, err := s.await(ctx, order, byID)
	for _, i := range order {
		s.cases[i].end()
	}
	s.w.ExitIfDue()
	if i < 0 {
		return i, err
	}
	return i, s.cases[i].run()
}

func (s *selection) await(ctx context.Context, order, byID []uint8) (int, error) {
	s.w.Prepare()
	for n := 0; ; n++ {
		s.lockAll(byID)
		i, o, other := s.offerAll(order)
		if o == wait && s.enlistAll(order) {
			s.unlockAll(byID)
			break
		}
		s.unlockAll(byID)
		switch o {
		case done, ended:
			if other != nil {
				other.Deliver()
			}
			return i, nil
		case starved:
			s.cases[i].supply()
		}
		pause(n)
	}
	var err error
	if s.late >= 0 {
		err = s.w.ParkFor(ctx, s.d, pool.WhySelect)
	} else {
		err = s.w.Park(ctx, pool.WhySelect)
	}
	for _, i := range order {
		if err != nil || int(i) != s.chosen {
			k := s.cases[i].key()
			k.mu.Lock()
			s.cases[i].withdraw()
			k.mu.Unlock()
		}
	}
	switch {
	case err == nil:
		s.cases[s.chosen].collect()
		return s.chosen, nil
	case err == pool.ErrTimeUp: //nolint:errorlint // the very value
		return s.late, nil
	}
	return -1, err
}

// offerAll tries the cases. Their locks are held.
func (s *selection) offerAll(order []uint8) (int, outcome, *pool.Waiter) {
	at, all := -1, wait
	for _, i := range order {
		switch o, other := s.cases[i].tryLocked(); o {
		case done, ended:
			return int(i), o, other
		case pending, starved:
			at, all = int(i), o
		}
	}
	return at, all, nil
}

// enlistAll puts the wait into all lists, or into none and returns false, if a value or
// room has come meanwhile by a way that takes no lock. The locks are held.
func (s *selection) enlistAll(order []uint8) bool {
	for n, i := range order {
		if !s.cases[i].enlist(s, int(i)) {
			for _, j := range order[:n] {
				s.cases[j].withdraw()
			}
			return false
		}
	}
	return true
}

func (s *selection) lockAll(byID []uint8) {
	var last *key
	for _, i := range byID {
		if k := s.cases[i].key(); k != last {
			k.mu.Lock()
			last = k
		}
	}
}

func (s *selection) unlockAll(byID []uint8) {
	var last *key
	for _, i := range byID {
		if k := s.cases[i].key(); k != last {
			k.mu.Unlock()
			last = k
		}
	}
}
