package pool

// SpawnLate is Spawn by a timer that no started task stands behind. It does nothing once the pool has ended.
//
// The pool ends when nobody is awake and nothing is left (shutdown.go). That looks at sleeping workers, one of which a timer may wake
// meanwhile. It finds the pool's end decided or not, under the lock under which that is decided; and if not, it
// cannot be decided before this thread, which is awake, has run out of work.
func (q *Queue) SpawnLate(f func(), site uint32, b *Birth) bool {
	p := q.p
	if p.stepper != nil {
		return p.stepper.late(q, f, site, b)
	}
	if !p.closing.Load() {
		return q.Spawn(f, site)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.ended.Load() && q.Spawn(f, site)
}
