package steptest

import (
	"fmt"

	"github.com/lockstep-go/lockstep/internal/racectx"
	"github.com/lockstep-go/lockstep/pool"
)

// Var is a variable that tasks share: each access is a point, so that it interleaves with those of others, and is looked at: two accesses of different tasks, of which one
// at least is a Store, and which nothing orders, fail the test as a data race, also in a schedule that happens to get the right result. It needs neither the race
// detector nor cgo. The zero value holds the zero value. Outside of steptest it is a plain variable.
//
// Ordered by what the library does: spawning, waiting, locks, channels and so on, and [Atomic]. Atomics of other packages and the
// cancelling of a context are not seen; where the code relies on one of these, use Atomic for it.
type Var[T any] struct {
	v     T
	wrote moment
	reads []moment
}

// moment is when a task has done something.
type moment struct {
	task int
	at   uint32 // 0: never
}

// Load returns the value.
func (v *Var[T]) Load() T {
	d := access(pool.OpRead, v)
	if d == nil {
		return v.v
	}
	by := d.EnterTold() // for the race detector: what is wrong is said here
	wrong := v.wrote.unordered(d, "a Store", "a Load")
	if wrong == "" {
		v.reads = noted(v.reads, d)
	}
	x := v.v
	by.Leave()
	wrong.raise()
	return x
}

// Store sets the value.
func (v *Var[T]) Store(x T) {
	d := access(pool.OpWrite, v)
	if d == nil {
		v.v = x
		return
	}
	by := d.EnterTold()
	wrong := v.stores(d)
	v.v = x
	by.Leave()
	wrong.raise()
}

// stores notes a Store, and returns what is wrong with it.
func (v *Var[T]) stores(d *pool.Stepper) raceError {
	if text := v.wrote.unordered(d, "a Store", "a Store"); text != "" {
		return text
	}
	for _, r := range v.reads {
		if text := r.unordered(d, "a Load", "a Store"); text != "" {
			return text
		}
	}
	v.reads = v.reads[:0]
	v.wrote = now(d)
	return ""
}

// access makes a point of an access, and returns the stepper of the calling task, if it has one.
func access(op pool.Op, v any) *pool.Stepper {
	d := pool.CurrentStepper()
	if d == nil {
		return nil
	}
	by := d.Enter()
	d.Order = true
	by.Leave()
	pool.Point(op, v)
	return d
}

func now(d *pool.Stepper) moment {
	id, at := d.Epoch()
	return moment{id, at}
}

// unordered returns what is wrong if m and what the calling task does now are not ordered.
func (m moment) unordered(d *pool.Stepper, first, second string) raceError {
	if m.at == 0 || d.Knows(m.task, m.at) {
		return ""
	}
	return raceError(fmt.Sprintf("data race: %s of a Var by %s and %s by %s, which nothing orders", first, shortName(&Task{ID: m.task}), second, shortName(d.Running())))
}

// raceError is the panic of a task that has found a race.
type raceError string

// Error returns the text.
func (e raceError) Error() string { return string(e) }

// raise panics with it, if something is wrong.
func (e raceError) raise() {
	if e != "" {
		panic(e)
	}
}

// noted adds a read; of a task only the last one matters.
func noted(reads []moment, d *pool.Stepper) []moment {
	m := now(d)
	for i := range reads {
		if reads[i].task == m.task {
			reads[i] = m
			return reads
		}
	}
	return append(reads, m)
}

// Atomic is a value that tasks share as they would share one of package sync/atomic: each method is one step, is a point before it, and orders what
// its callers do. It is for code without locks that is to be tested. The zero value holds the zero value.
type Atomic[T comparable] struct{ v T }

// Load returns the value.
func (a *Atomic[T]) Load() T {
	pool.Point(pool.OpRead, a)
	a.meet()
	defer a.met()
	return a.v
}

// Store sets the value.
func (a *Atomic[T]) Store(x T) {
	pool.Point(pool.OpUpdate, a)
	a.meet()
	a.v = x
	a.met()
}

// Swap sets the value and returns the one before.
func (a *Atomic[T]) Swap(x T) (before T) {
	pool.Point(pool.OpUpdate, a)
	a.meet()
	before, a.v = a.v, x
	a.met()
	return before
}

// CompareAndSwap sets the value to x, and returns true, if it is old.
func (a *Atomic[T]) CompareAndSwap(old, x T) bool {
	pool.Point(pool.OpUpdate, a)
	a.meet()
	defer a.met()
	if a.v != old {
		return false
	}
	a.v = x
	return true
}

// Update sets the value to what f makes of it, and returns that. f must not wait.
func (a *Atomic[T]) Update(f func(T) T) T {
	pool.Point(pool.OpUpdate, a)
	a.meet()
	defer a.met()
	a.v = f(a.v)
	return a.v
}

func (a *Atomic[T]) meet() {
	if d := pool.CurrentStepper(); d != nil {
		d.Meet(a)
	}
	racectx.Acquire(a)
}

// met is called at the end of each method: the race detector is told of the order too.
func (a *Atomic[T]) met() { racectx.ReleaseMerge(a) }
