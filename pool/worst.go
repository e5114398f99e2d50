package pool

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// StallSite tells of the stalls of the tasks that were spawned at one place in the code.
type StallSite struct {
	Site    string        // file:line
	Section bool          // the tasks were in BlockInPlace sections that run in place: WithBlockInPlace(true) moves them
	Stalls  uint64        // times
	Total   time.Duration // for which they have held workers, as the monitor saw it: less by a round, 1 to 10 ms, each
	Longest time.Duration // of one stall
}

// worstSites bounds how many places are remembered, and worstTold how many Stats names.
const (
	worstSites = 1000
	worstTold  = 10
)

// worst adds up stalls by place. The monitor writes, anybody may read.
type worst struct {
	mu    sync.Mutex
	sites map[stallPlace]*StallSite
}

type stallPlace struct {
	site    uint32
	section bool
}

// goesOn adds what a stall has taken since it took before, which is 0 when it is first seen.
func (o *worst) goesOn(l label, before, held time.Duration) {
	at := stallPlace{l.site(), l.why() == WhyInline}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.sites[at]
	if s == nil {
		if len(o.sites) == worstSites {
			return
		}
		if o.sites == nil {
			o.sites = map[stallPlace]*StallSite{}
		}
		s = &StallSite{Site: site(at.site), Section: at.section}
		o.sites[at] = s
	}
	if before == 0 {
		s.Stalls++
	}
	s.Total += held - before
	s.Longest = max(s.Longest, held)
}

// told returns the worst places, the worst first.
func (o *worst) told() []StallSite {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []StallSite
	for _, s := range o.sites {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b StallSite) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Site, b.Site))
	})
	return all[:min(len(all), worstTold)]
}
