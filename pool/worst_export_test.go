package pool

import "time"

// Stalls is a list of the worst places, for tests.
type Stalls struct{ worst }

// GoesOn is a look at a stall of a task that was spawned at a place.
func (s *Stalls) GoesOn(site uint32, section bool, before, held time.Duration) {
	l := labelOf(site, 0)
	if section {
		l = l.with(WhyInline)
	}
	s.goesOn(l, before, held)
}

// Told returns the worst.
func (s *Stalls) Told() []StallSite { return s.told() }

// The bounds of the list.
const (
	WorstSites = worstSites
	WorstTold  = worstTold
)
