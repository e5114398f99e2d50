package pool

import (
	"runtime/debug"
	"sync"
	"time"

	"github.com/panjf2000/ants/v2"
)

// overflow runs sections moved by BlockInPlace. At most limit run at once; more
// wait in a queue of its own, first in first out, so that a section never blocks
// a worker and is never refused.
type overflow struct {
	mu      sync.Mutex
	limit   int
	running int
	queue   []func()
	total   uint64
	runner  runner
}

// runner starts a function on some other goroutine. It is the whole of ants that
// lockstep uses, so that nothing else depends on it.
type runner interface {
	run(f func())
	release()
}

func newOverflow(limit int) *overflow { return &overflow{limit: limit} }

// start runs f, or queues it.
func (o *overflow) start(f func()) {
	o.mu.Lock()
	o.total++
	if o.running == o.limit {
		o.queue = append(o.queue, f)
		o.mu.Unlock()
		return
	}
	o.running++
	if o.runner == nil { // on first use: most pools never move a section
		o.runner = newAntsRunner(o.limit)
	}
	r := o.runner
	o.mu.Unlock()
	r.run(func() { o.work(f) })
}

// work runs f and then what waits. A section that ends by Goexit ends the goroutine; the
// deferred call then starts another one for the rest.
func (o *overflow) work(f func()) {
	done := false
	defer func() {
		if !done {
			if next := o.next(); next != nil {
				o.runner.run(func() { o.work(next) })
			}
		}
	}()
	for f != nil {
		f()
		f = o.next()
	}
	done = true
}

// next returns the next section that waits; nil frees the place.
func (o *overflow) next() func() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		o.running--
		return nil
	}
	f := o.queue[0]
	o.queue[0] = nil
	o.queue = o.queue[1:]
	return f
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

func (o *overflow) stats() OverflowStats {
	o.mu.Lock()
	defer o.mu.Unlock()
	return OverflowStats{Limit: o.limit, Running: o.running, Queued: len(o.queue), Sections: o.total}
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
