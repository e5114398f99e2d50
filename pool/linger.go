package pool

// # Protocol: looking before sleeping
//
// A worker with a thread that has run out of work looks for a little while whether there is more before it sleeps: to wake a thread costs who does it
// some microseconds, and the task that is woken 20 to 90 of them, while tasks of two workers that talk to one another mostly answer within a few.
//
// Only then: after a task of another worker has woken one of this to hand it something (DeliverHanded), and as long as it pays (guess.Guess). Who waits for a goroutine must
// not keep its P from it (ADR 0004), and sleeps at once.
//
// It is a delay before the protocol of park, in which the worker's state is still running, so who signals it meanwhile does so without a wake.

const (
	lingerFor  = 200_000 // ns
	lingerPays = 150_000 // ns that are not much longer than a wake beside a worker that looks: its P keeps who is woken for 55 µs, see ADR 0004
	// lingerLooks are made between two looks at the clock. Nobody else writes the word but to signal.
	lingerLooks = 1000
)

// lingers reports whether something has come within the time that it looks.
func (w *worker) lingers() bool {
	if !w.linger.On() {
		return false
	}
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
				w.linger.Paid()
			} else {
				w.linger.Failed()
			}
			return true
		}
	}
	w.linger.Failed()
	return false
}
