package pool

import (
	"sync"

	"github.com/lockstep-go/lockstep/internal/stepping"
)

// Points inside of what synchronises tasks: where its code comes to an atomic transition, or takes or leaves the lock of a list. To programs that use it these
// are none, since it does what it says wherever it is interrupted. That is shown with them, by steppers with Fine set.

// Inner is a point before a transition of obj, for steppers with Fine set. Elsewhere it is a plain load, as in Stepping, and belongs on slow paths.
func Inner(obj any) {
	if stepping.Fine() {
		inner(obj, nil)
	}
}

func init() { stepping.Until = inner }

// inner is a point before an update of obj, at which the task stays until the gate, if not nil, is free. It returns false, at once, if the caller is not
// a task that is stepped so finely. While tasks are being ended there are no such points, and who would have to wait is ended.
func inner(obj any, g stepping.Gate) bool {
	co := Current()
	if co == nil || co.w.stepper == nil || !co.w.stepper.Fine {
		return false
	}
	d := co.w.stepper
	if raceEnabled && d.outside() {
		by := d.Enter()
		stepped := inner(obj, g)
		by.Leave()
		return stepped
	}
	t := co.step
	switch {
	case d.ending && g != nil && !co.passes(g):
		d.endTask(t)
	case d.engine, d.ending, t != d.running:
		return false
	case d.atomic == 0:
		t.until = g
		d.point(t, OpUpdate, obj)
		t.until = nil
	case g != nil && !co.passes(g): // others go on, as in a wait
		atomic := d.atomic
		d.atomic = 0
		t.until = g
		d.point(t, OpUpdate, obj)
		t.until, d.atomic = nil, atomic
	}
	return true
}

// waitsInside reports whether the task has stopped at a point at which it has to stay.
func (t *Step) waitsInside() bool { return t.until != nil && !t.co.passes(t.until) }

// InnerYield is for loops that look again and again at what another thread is about to finish: the caller goes on when others have made a step. It is for
// steppers with Fine set too.
func InnerYield() {
	if !stepping.Fine() {
		return
	}
	if co := Current(); co != nil && co.w.stepper != nil && co.w.stepper.Fine {
		d := co.w.stepper
		by := d.Enter()
		if !d.engine {
			d.yield(co.step, OpYield)
		}
		by.Leave()
	}
}

// A stepped pool has no threads, and so none of the protocols between them: injecting, parking and waking, stealing, rescue, the end of a pool. These are stepped by
// tests that call what is a worker's, of a pool that is not stepped and was not started, as tasks: the tasks stand for the threads.

// inner is a point in one of these protocols.
func (w *worker) inner() {
	if stepping.Fine() && w.byHand {
		inner(w, nil)
	}
}

// stepWait is wait for a task that stands for the worker's thread. The time may be up at once, but others go on first.
func (p *parker) stepWait(d int64) (got, stepped bool) {
	if d < 0 {
		if !inner(p, p) {
			return false, false
		}
		<-p.token
		return true, true
	}
	if !inner(p, nil) {
		return false, false
	}
	InnerYield()
	select {
	case <-p.token:
		return true, true
	default:
		return false, true
	}
}

// Free reports whether there is a token to wait for.
func (p *parker) Free() bool { return len(p.token) > 0 }

// stepMutex is a sync.Mutex that may be held at a point.
type stepMutex struct{ sync.Mutex }

// Lock locks m.
func (m *stepMutex) Lock() {
	if stepping.Fine() {
		for inner(m, m) {
			if m.TryLock() {
				return
			}
		}
	}
	m.Mutex.Lock()
}

// Free reports whether nobody has it.
func (m *stepMutex) Free() bool {
	if !m.TryLock() {
		return false
	}
	m.Unlock()
	return true
}
