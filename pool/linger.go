package pool

// linger decides whether a worker with a thread, which has run out of work, looks for a little while whether there is more before it sleeps: to wake a thread costs who does it
// some microseconds, and the task that is woken 20 to 90 of them, while tasks of two workers that talk to one another mostly answer within a few.
//
// Only then: after a task of another worker has woken one of this to hand it something (DeliverHanded). Who waits for a goroutine must not keep its P from it (ADR 0004), and sleeps at once. And only
// as long as it pays: once the looks have been in vain, or have taken longer than a wake, that many such wakes do not count, 2, then 4, up to 32.
//
// It is a delay before the protocol of park, in which the worker's state is still running, so who signals it meanwhile does so without a wake.
//
// All of it is the worker's own.
type linger struct {
	on   bool
	skip int // wakes that do not count
	vain int // times in vain since it paid, as far as they matter
}

const (
	lingerFor  = 200_000 // ns
	lingerPays = 150_000 // ns that are not much longer than a wake beside a worker that looks: its P keeps who is woken for 55 µs, see ADR 0004
	lingerVain = 5       // doublings
	// lingerLooks are made between two looks at the clock. Nobody else writes the word but to signal.
	lingerLooks = 1000
)

// crossed is told that a task of another worker has handed something to one of this.
func (l *linger) crossed() {
	switch {
	case l.on:
	case l.skip > 0:
		l.skip--
	default:
		l.on = true
	}
}

// readied is told that a task of the worker has woken a goroutine, which may need the worker's P.
func (l *linger) readied() { l.on = false }

// lingers reports whether something has come within the time that it looks.
func (w *worker) lingers() bool {
	l := &w.linger
	if !l.on {
		return false
	}
	l.on = false
	began := w.p.now()
	until := began + lingerFor
	if at := int64(w.timersDue.Own()); at != 0 {
		until = min(until, at)
	}
	for now := began; now < until; now = w.p.now() {
		for range lingerLooks {
			if w.attention.Load() == 0 {
				continue
			}
			if w.p.now()-began <= lingerPays {
				l.vain, l.on = 0, true
			} else {
				l.failed()
			}
			return true
		}
	}
	l.failed()
	return false
}

func (l *linger) failed() {
	l.vain = min(l.vain+1, lingerVain)
	l.skip = 1 << l.vain
}
