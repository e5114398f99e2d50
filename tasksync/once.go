package tasksync

import (
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/internal/stepping"
	"github.com/lockstep-go/lockstep/pool"
)

// Once calls a function once; whoever comes meanwhile waits until it has returned. It has the meaning of sync.Once: a
// function that panics has been called. The zero value has not called anything.
type Once struct {
	_     noCopy
	done  atomic.Uint32
	owner atomic.Uintptr // who is in the function
	mu    Mutex
}

// Do calls f if it is the first call of Do, and waits until the first call's function has ended in any case. It panics if f is
// nil or calls Do of the same Once, which would wait for itself.
func (o *Once) Do(f func()) {
	if o.done.Load() == 0 || stepping.Bar.Load() != 0 {
		o.slow(f)
	}
}

func (o *Once) slow(f func()) {
	if f == nil {
		panic("lockstep: Once.Do of a nil func")
	}
	if pool.Stepping() {
		if pool.Point(pool.OpOnce, o); o.done.Load() != 0 {
			return
		}
	}
	g := gid.Get()
	if g != 0 && o.owner.Load() == g {
		panic("lockstep: Once.Do is called by its own function, which would wait for itself")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done.Load() != 0 {
		return
	}
	o.owner.Store(g)
	defer func() {
		o.owner.Store(0)
		o.done.Store(1)
	}()
	f()
}

// OnceFunc returns a function that calls f once. If f panics, every call of the returned function panics with the same value.
func OnceFunc(f func()) func() {
	g := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { g() }
}

// OnceValue is OnceFunc for a function with a result.
func OnceValue[T any](f func() T) func() T {
	g := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T {
		v, _ := g()
		return v
	}
}

// OnceValues is OnceFunc for a function with two results.
func OnceValues[T, U any](f func() (T, U)) func() (T, U) {
	var (
		once     Once
		v        T
		u        U
		returned bool
		panicked any
	)
	call := func() {
		defer func() {
			f = nil // what it holds may be collected
			if !returned {
				if panicked = recover(); panicked == nil {
					panicked = "lockstep: the function of a OnceFunc ended by runtime.Goexit"
				} else {
					panic(panicked) // in the first call, with the frames of f
				}
			}
		}()
		v, u = f()
		returned = true
	}
	return func() (T, U) {
		once.Do(call)
		if !returned {
			panic(panicked)
		}
		return v, u
	}
}
