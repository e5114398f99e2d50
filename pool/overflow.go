package pool

import (
	"runtime/debug"
	"sync"
	"time"

	"github.com/panjf2000/ants/v2"
	"go.uber.org/atomic"
)

// overflow runs sections moved by BlockInPlace. At most limit run at once; more
// wait in a queue of its own, first in first out, so that a section never blocks
// a worker and is never refused.
type overflow struct {
	now func() int64

	mu      sync.Mutex
	limit   int
	running int
	queue   []section
	runner  runner
	stats   OverflowStats
	inside  map[uintptr]*Coroutine // whose section runs, by goroutine
	sites   map[uint32]siteCounts  // by place in the code
	advise  func(site uint32)
}

// section is a function that waits for a place, and since when.
type section struct {
	f     func()
	at    int64
	site  uint32         // where in the code it stands
	begun *atomic.Uint32 // nil if it can't be cancelled
}

// begins reports whether the section is to be called: not if it was cancelled.
func (s *section) begins() bool { return s.begun == nil || s.begun.CompareAndSwap(0, 1) }

// shortSection is the time below which moving a section costs more than it saves: about what it
// takes to hand it over and to wake its worker.
const shortSection = 30 * time.Microsecond

// runner starts a function on some other goroutine. It is the whole of ants that
// lockstep uses, so that nothing else depends on it.
type runner interface {
	run(f func())
	release()
}

func newOverflow(limit int, now func() int64, advise func(site uint32)) *overflow {
	return &overflow{limit: limit, now: now, advise: advise}
}

// start runs a section, or queues it.
func (o *overflow) start(s section) {
	s.at = o.now()
	o.mu.Lock()
	o.stats.Sections++
	if o.running == o.limit {
		o.stats.Waited++
		o.queue = append(o.queue, s)
		o.mu.Unlock()
		return
	}
	o.running++
	if o.runner == nil { // on first use: most pools never move a section
		o.runner = newAntsRunner(o.limit)
	}
	r := o.runner
	o.mu.Unlock()
	Inner(o)
	r.run(func() { o.work(s) })
}

// work runs a section and then what waits. A section that ends by Goexit ends the goroutine; the
// deferred call then starts another one for the rest.
func (o *overflow) work(s section) {
	began, done := int64(0), false
	defer func() {
		if !done {
			if s = o.next(s, began); s.f != nil {
				o.runner.run(func() { o.work(s) })
			}
		}
	}()
	for s.f != nil {
		began = 0
		if s.begins() {
			began = o.now()
			s.f()
		}
		s = o.next(s, began)
	}
	done = true
}

// next counts a section that has ended, or was cancelled if began is 0, and returns the next one that waits; none
// (f is nil) frees the place.
func (o *overflow) next(ended section, began int64) section {
	took := time.Duration(o.now() - began)
	Inner(o)
	o.mu.Lock()
	if began != 0 && o.counted(ended.site, took) {
		o.mu.Unlock()
		o.advise(ended.site)
		o.mu.Lock()
	}
	defer o.mu.Unlock()
	if began == 0 {
		o.stats.Cancelled++
	} else {
		o.stats.RunTime += took
		o.stats.WaitTime += time.Duration(began - ended.at)
		if took < shortSection {
			o.stats.Short++
		}
	}
	if len(o.queue) == 0 {
		o.running--
		return section{}
	}
	s := o.queue[0]
	o.queue[0] = section{}
	o.queue = o.queue[1:]
	return s
}

func (o *overflow) release() {
	o.mu.Lock()
	r := o.runner
	o.runner = nil
	o.mu.Unlock()
	if r != nil {
		r.release()
	}
}

func (o *overflow) read() OverflowStats {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stats
	s.Limit, s.Running, s.Queued = o.limit, o.running, len(o.queue)
	return s
}

// antsRunner is the runner on github.com/panjf2000/ants.
type antsRunner struct{ pool *ants.Pool }

func newAntsRunner(limit int) runner {
	// Twice the limit, because a goroutine that has finished its last section is still
	// counted by ants for a moment. Nonblocking, because the caller is a worker.
	p, err := ants.NewPool(2*limit, ants.WithNonblocking(true), ants.WithPanicHandler(func(v any) {
		crash(&PanicError{Value: v, Stack: debug.Stack()}) // sections catch their panics; this is a bug
	}))
	if err != nil {
		panic("lockstep: the overflow pool cannot be made: " + err.Error())
	}
	return &antsRunner{p}
}

// run falls back to a plain goroutine when ants refuses.
func (r *antsRunner) run(f func()) {
	if r.pool.Submit(f) != nil {
		go f()
	}
}

func (r *antsRunner) release() { _ = r.pool.ReleaseTimeout(releaseTimeout) }

// releaseTimeout bounds the wait for goroutines of ants that have nothing left to do.
const releaseTimeout = 10 * time.Second
