package tasksync

// A Done that ends a round has two halves.

// DoneFirst counts down and does not wake who waits.
func DoneFirst(g *WaitGroup) { g.state.Sub(groupUnit) }

// DoneThen is the rest.
func DoneThen(g *WaitGroup) { g.wakeAll() }

// Waits reports whether somebody waits.
func Waits(g *WaitGroup) bool {
	g.list.mu.Lock()
	defer g.list.mu.Unlock()
	return g.list.first != nil
}
