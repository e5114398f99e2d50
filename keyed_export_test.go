package lockstep

// KeyedKept returns how many keys something is kept of.
func KeyedKept[K comparable](k *Keyed[K]) int {
	n := 0
	for i := range k.lanes {
		l := &k.lanes[i]
		l.mu.Lock()
		n += l.strands
		l.mu.Unlock()
	}
	return n
}

// KeyedPending returns how many operations wait for their turn, when all the others wait in themselves.
func KeyedPending[K comparable](k *Keyed[K]) int {
	n := 0
	for i := range k.lanes {
		l := &k.lanes[i]
		l.mu.Lock()
		for _, part := range l.in {
			n += len(part)
		}
		if !l.scheduled {
			for _, s := range l.busy {
				n += len(s.ops) - s.next
			}
		}
		l.mu.Unlock()
	}
	return n
}

// KeyedBusy is KeyedKept as the workers have it, for a pool that is closed.
func KeyedBusy[K comparable](k *Keyed[K]) int {
	n := 0
	for i := range k.lanes {
		n += len(k.lanes[i].busy)
	}
	return n
}

// ActiveWorkers returns how many workers take new tasks.
func ActiveWorkers(p *Pool) int { return p.p.Workers() }

// Killed reports whether a forced shutdown ends the pool's tasks.
func Killed(p *Pool) bool { return p.p.Killed() }
