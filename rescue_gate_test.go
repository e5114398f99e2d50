package lockstep_test

import (
	"math/rand/v2"
	"sync"
)

// gate is something to wait for natively, of one of four kinds. Both functions may be called by anybody, and open many times.
type gate struct {
	wait, open func()
	ch         chan struct{} // nil unless it is a channel
}

// newGate returns a gate of a random kind. After openAll it is open.
func (s *blocking) newGate(r *rand.Rand) *gate {
	g := new(gate)
	switch r.IntN(4) {
	case 0:
		var mu sync.Mutex
		mu.Lock()
		g.wait, g.open = func() { mu.Lock(); defer mu.Unlock() }, sync.OnceFunc(mu.Unlock)
	case 1:
		var wg sync.WaitGroup
		wg.Add(1)
		g.wait, g.open = wg.Wait, sync.OnceFunc(wg.Done)
	case 2:
		g.wait, g.open = waitsFor["Cond"]()
	default:
		ch := make(chan struct{})
		g.wait, g.open, g.ch = func() { <-ch }, sync.OnceFunc(func() { close(ch) }), ch
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		g.open()
	}
	s.gates = append(s.gates, g)
	return g
}

// openAll opens every gate that there is or will be.
func (s *blocking) openAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
	for _, g := range s.gates {
		g.open()
	}
}
