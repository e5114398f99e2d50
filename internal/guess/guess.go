// Package guess learns whether it pays to look a little while for what is about to come, before one sleeps.
package guess

import "go.uber.org/atomic"

// Guess says whether to look. It has to be earned, each time anew, by what shows that the other side is near (Near). Once it has been in vain, or has taken longer
// than it saves, that many such signs do not count: 2, then 4, up to 32, until it pays again. So where the other side is slow, or has no
// processor, the looks take a tenth of the time at worst.
//
// It may be used by several threads: a lost update does no harm.
type Guess struct {
	on   atomic.Bool
	skip atomic.Int32 // signs that do not count
	vain atomic.Int32 // times in vain since it paid, as far as they matter
}

const mostVain = 5 // doublings

// On reports whether it is worth to look.
func (g *Guess) On() bool { return g.on.Load() }

// Near is told of a sign that the other side is near.
func (g *Guess) Near() {
	switch {
	case g.on.Load():
	case g.skip.Load() > 0:
		g.skip.Dec()
	default:
		g.on.Store(true)
	}
}

// Off is told that there is a reason not to look, until the next sign.
func (g *Guess) Off() {
	if g.on.Load() {
		g.on.Store(false)
	}
}

// Paid is told that looking was shorter than what it has saved.
func (g *Guess) Paid() {
	if g.vain.Load() != 0 {
		g.vain.Store(0)
	}
}

// Failed is told that it was not.
func (g *Guess) Failed() {
	n := min(g.vain.Load()+1, mostVain)
	g.vain.Store(n)
	g.skip.Store(1 << n)
	g.on.Store(false)
}
