package pool

import "runtime"

// # Lending the P
//
// A worker that always has something to do keeps its P until Go's runtime takes it away, after 10 ms or more. If all Ps are with such workers, the rest of the program,
// those among it who bring the pool its work and wait for it, gets on in steps of that length. WithSpareProcs is the cure, but it is the program's to ask for. Without it
// a worker lends its P, in between two looks at its clock, as long as the pool is used from outside at all and has no P to spare.
//
// What that costs is known only afterwards: a locked thread hands over to another one and back, 10-20 µs, a floating one goes to the end of a list. So the
// next time comes when that is a fiftieth of the time, and not before the worker has had its P for as long as the others had: goroutines that
// compute get no more beside it than they would by the runtime's slices.

const (
	lendFor   = 20_000_000 // ns for which a use from outside says that there will be more
	lendLook  = 1_000_000  // ns between two looks whether there is a reason to lend
	lendLeast = 100_000    // ns between two times
	lendShare = 50
	lendCost  = 20_000 // ns that a hand-over takes at most; if it took longer others ran
)

// lend lets goroutines that are no tasks of the pool have the worker's P. It is called when the clock has just been read.
func (w *worker) lend() {
	p := w.p
	if p.usedOutside.Load() {
		p.usedOutside.Store(false)
		p.lendUntil.Store(w.now + lendFor)
	}
	if w.lendAt == 0 || w.now > p.lendUntil.Load() || w.byHand || int32(runtime.GOMAXPROCS(0)) > p.awake.Load() {
		w.lendAt = w.now + lendLook
		return
	}
	w.stats.lends.Add(1)
	runtime.Gosched()
	before := w.now
	w.setClock()
	took := w.now - before
	w.lendAt = w.now + max(lendLeast, took, lendShare*min(took, lendCost))
}
