package pool

import "time"

// siteCounts tell of the moved sections of one place in the code.
type siteCounts struct {
	all, short int
	told       bool
}

// Advice is given after adviseAfter short sections, if they are more than half of all of that place. At most
// adviseSites places are watched.
const (
	adviseAfter = 100
	adviseSites = 1000
)

// counted counts a section, and reports whether its place is to be advised against, once. o.mu is held.
func (o *overflow) counted(site uint32, took time.Duration) bool {
	s, known := o.sites[site]
	if !known && len(o.sites) == adviseSites {
		return false
	}
	if o.sites == nil {
		o.sites = map[uint32]siteCounts{}
	}
	s.all++
	if took < shortSection {
		s.short++
	}
	tell := !s.told && s.short >= adviseAfter && 2*s.short > s.all
	s.told = s.told || tell
	o.sites[site] = s
	return tell
}

// adviseShort says what to do about the short sections of a place.
func (p *Pool) adviseShort(at uint32) {
	p.cfg.Logger.Warn("lockstep: BlockInPlace moves sections here that are mostly shorter than moving costs; "+
		"use WithBlockInPlace(false) for them", "section", site(at), "worthwhile", shortSection)
}
