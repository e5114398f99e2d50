package pool

// # Protocol: switches of a stepper
//
// They are those of a worker (see slot), of all coroutines of all workers of the stepper, which share one goroutine's time: from a
// task to the next in one switch, each parked in the slot of whoever made room for it. home stands for base, so that it can be parked like the others. Who runs
// notes in cur who is to be next, and parks; who wakes and is not meant goes on to the one who is. A coroutine ends in its own slot, so
// base is first brought there: retire and reap, as on a worker.
//
// Under the race detector base is in between, and each coroutine in its own slot: its contexts are exchanged where
// tasks begin and end, and a slot tells the detector of those who use it.

// loop has t go on, and those that follow, and returns when nobody does. It runs on base.
func (d *Stepper) loop(t *Step) {
	for t != nil {
		d.next = nil
		d.transfer(&d.home, d.turn(t))
		for d.reaping != nil {
			d.reap()
		}
		t = d.next
	}
	d.next, d.running = nil, nil
}

// turn makes it the turn of t, and returns its coroutine: base, if t is nil.
func (d *Stepper) turn(t *Step) *Coroutine {
	if t == nil {
		return &d.home
	}
	if t.co == nil {
		t.co = t.w.freeCoroutine()
		t.co.step = t
	}
	d.running = t
	return t.co
}

// transfer parks from, which is running, and resumes to. It returns when somebody transfers to from.
func (d *Stepper) transfer(from, to *Coroutine) {
	for d.cur = to; d.cur != from; {
		s := d.cur.slot
		if raceEnabled {
			s = viaBase(from, d.cur, &d.home)
		}
		from.slot = s
		if s.inner { // swap, written out
			s.inner = false
			s.yield(struct{}{})
		} else {
			s.inner = true
			s.next()
		}
	}
}

// retire prepares the end of co, which is running: when it returns, base is parked in co's own slot, in reap.
func (d *Stepper) retire(co *Coroutine) {
	d.reaping = co
	d.transfer(co, &d.home)
}

// reap resumes the coroutine that ends, and returns when it has.
func (d *Stepper) reap() {
	co := d.reaping
	d.reaping = nil
	d.cur, d.home.slot = co, &co.own
	co.swapEnding()
}
