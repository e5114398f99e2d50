package lockstep

import (
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/queue"
)

// laneRun is a task of a lane: a driver, and when another one has taken over, a strand.
type laneRun[K comparable, F any] struct {
	l  *lane[K, F]
	co *pool.Coroutine

	in       bool // in an operation
	key      K    // of it
	stranded bool
	over     bool
}

// run is the stand-by, which becomes the driver if there is anything to do.
func (l *lane[K, F]) run() {
	if l.moves() {
		return
	}
	if r := l.takeOver(pool.Current()); r != nil {
		for !r.drive() {
		}
	}
}

// moves takes the lane to another worker if this one is to end and nothing is under way here.
func (l *lane[K, F]) moves() bool {
	if !l.at.Leaving() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter()
	defer l.leave()
	if d := l.driver; l.mayStay() || d != nil && d.in {
		return false
	}
	here := l.at
	l.at = l.place()
	if l.at != here && l.spawn(l.drive, false) {
		return true
	}
	l.at = here // the pool closes, and this worker does not end before that
	return false
}

// takeOver makes the caller the driver. It returns nil, and the lane is not scheduled any more, if there is nothing to do.
func (l *lane[K, F]) takeOver(co *pool.Coroutine) *laneRun[K, F] {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter()
	defer l.leave()
	if d := l.driver; d != nil && d.in {
		l.strands++
		if l.keyed {
			if l.busy == nil {
				l.busy = map[K]*strand[K, F]{}
			}
			l.busy[d.key] = &strand[K, F]{co: d.co}
		}
	}
	l.driver = nil
	if l.next == len(l.part) && !l.nextPart() && !l.refill() {
		l.scheduled = false
		l.restLocked()
		return nil
	}
	l.driver = &laneRun[K, F]{l: l, co: co}
	l.spawn(l.drive, true) // the next stand-by, on the caller's own worker, where it is always accepted
	return l.driver
}

// nextPart goes on to the next part that has been taken.
func (l *lane[K, F]) nextPart() bool {
	if cap(l.part) > 0 && len(l.used) < freeMost {
		l.used = append(l.used, l.part[:0])
	}
	l.part, l.next = nil, 0
	if l.nth == len(l.parts) {
		return false
	}
	l.part = l.parts[l.nth]
	l.parts[l.nth] = nil
	l.nth++
	return true
}

// refill takes what has been sent. mu is held.
func (l *lane[K, F]) refill() bool {
	for _, part := range l.used {
		if len(l.free) < freeMost {
			l.free = append(l.free, part)
		}
	}
	l.used = l.used[:0]
	if len(l.in) == 0 {
		return false
	}
	l.parts, l.in, l.nth = l.in, l.parts[:0], 0
	if cap(l.in) > partsMost {
		l.in = nil
	}
	return l.nextPart()
}

// more is refill for the driver.
func (r *laneRun[K, F]) more() bool {
	l := r.l
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter()
	defer l.leave()
	return l.driver == r && (l.next < len(l.part) || l.nextPart() || l.refill())
}

// drive calls operations until there is none, the quantum is over, or another task has become the driver. It
// returns false after a panic in an operation, which has been dealt with; call it again.
func (r *laneRun[K, F]) drive() bool {
	defer r.caught()
	for !r.stranded && r.calls() && r.more() {
	}
	if r.stranded {
		r.follow()
	}
	r.over = true
	return true
}

// calls calls the operations that the driver has. It returns false if the driver is to end. What is done for each
// operation is written out, leave and enter too.
func (r *laneRun[K, F]) calls() bool {
	l, floating := r.l, r.l.floating
	l.enter()
	for again := r.in; ; again = true { // an operation that panicked has returned, too
		if again {
			r.in = false
			if r.stranded = l.driver != r; r.stranded || r.overdue() {
				break // if the quantum is over, the stand-by goes on at its turn
			}
		} else if l.driver != r {
			break // a floating driver that had given way, and is late
		}
		if l.next == len(l.part) && !l.nextPart() {
			l.leave()
			return true
		}
		o := &l.part[l.next]
		l.next++
		if len(l.busy) > 0 && l.queued(o) {
			continue
		}
		r.in, r.key = true, o.key
		f, drop := o.f, o.drop
		*o = op[K, F]{}
		if floating {
			l.own.Unlock()
		}
		if l.capacity != nil {
			l.capacity.Release()
		}
		if !l.pool.Killed() {
			l.call(f)
		} else if drop != nil {
			drop()
		}
		if floating {
			l.own.Lock()
		}
	}
	l.leave()
	return false
}

// overdue reports whether the driver should give way. own is held on a floating worker, so a stepped one only decides.
func (r *laneRun[K, F]) overdue() bool {
	if r.l.floating && pool.Stepping() {
		return pool.Decide(pool.ChoiceNeed, 2) == 1
	}
	return r.co.NeedYield()
}

// queued reports whether the key of o is in a strand, which o now follows.
func (l *lane[K, F]) queued(o *op[K, F]) bool {
	s := l.busy[o.key]
	if s == nil {
		return false
	}
	s.ops = append(s.ops, *o)
	*o = op[K, F]{}
	return true
}

// do calls an operation.
func (l *lane[K, F]) do(o op[K, F]) {
	if l.capacity != nil {
		l.capacity.Release()
	}
	if !l.pool.Killed() {
		l.call(o.f)
	} else if o.drop != nil {
		o.drop()
	}
}

// follow calls what follows the strand's operation, and ends the strand.
func (r *laneRun[K, F]) follow() {
	for o, ok := r.following(); ok; o, ok = r.following() {
		r.l.do(o)
		pool.YieldIfNeeded()
	}
	l := r.l
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strands--
	l.restLocked()
}

// following returns the strand's next operation; if there is none the key is free.
func (r *laneRun[K, F]) following() (o op[K, F], ok bool) {
	l := r.l
	if !l.keyed {
		return o, false
	}
	l.enter()
	defer l.leave()
	s := l.busy[r.key]
	if s.next == len(s.ops) {
		delete(l.busy, r.key)
		return o, false
	}
	o = s.ops[s.next]
	s.ops[s.next] = op[K, F]{}
	if s.next++; s.next == len(s.ops) {
		s.ops, s.next = s.ops[:0], 0
	}
	return o, true
}

// caught is deferred around operations: one may panic, or end its task by Goexit.
func (r *laneRun[K, F]) caught() {
	if r.over {
		return
	}
	v := recover()
	exits := true // also if the panic handler calls Goexit
	defer func() {
		if exits {
			r.exited()
		}
	}()
	if v != nil {
		r.l.q.Pool().Panicked(v)
		exits = false
	}
}

// exited hands on what the task, which ends inside an operation, would have done after that.
func (r *laneRun[K, F]) exited() {
	l := r.l
	l.enter()
	if !r.stranded && l.driver == r {
		r.in = false // and the stand-by goes on
		l.leave()
		return
	}
	s := l.busy[r.key]
	l.leave()
	next := &laneRun[K, F]{l: l, key: r.key, stranded: true}
	if s == nil {
		next.follow() // not keyed: nothing follows
		return
	}
	l.q.SpawnAt(r.co.Place(), func() {
		next.co = pool.Current()
		l.enter()
		s.co = next.co
		l.leave()
		for !next.drive() {
		}
	}, l.siteNow()|queue.Pinned|queue.Handled, true)
}
