package pool

import (
	"slices"
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
)

// manual is what a stepper has whose pool is used from ordinary goroutines: outside of a test there is nobody who calls Run.
//
// # Protocol
//
// The tasks are stepped by a goroutine that waits: for one of them, or for anything else that a Waiter stands for, or for the end of the
// pool. It steps them all until none can go on, and then sees whether it has been woken. So as long as nobody waits nothing runs, and what one goroutine
// does with a pool leads to the same run every time.
//
// turn is held by the goroutine that steps. Others that spawn wait for it; the tasks, which run on it, and the timers' functions do not need it.
type manual struct {
	turn sync.Mutex
	by   atomic.Uintptr // who holds turn while it steps
	end  func()
}

var manuals struct {
	mu  sync.Mutex
	all []*Stepper
}

// Manual lets waiting goroutines step the pools of d, until the first of them has been closed, and then calls end.
func (d *Stepper) Manual(end func()) {
	d.manual = &manual{end: end}
	manuals.mu.Lock()
	defer manuals.mu.Unlock()
	manuals.all = append(manuals.all, d)
}

// stepManuals steps what can be stepped by the calling goroutine, which is about to wait.
func stepManuals() {
	manuals.mu.Lock()
	all := slices.Clone(manuals.all)
	manuals.mu.Unlock()
	for _, d := range all {
		d.stepByHand()
	}
}

func (d *Stepper) stepByHand() {
	leave := d.takeTurn()
	defer leave()
	d.loop(d.pick())
	if len(d.live) == 0 { // the records are used again
		d.tasks = d.tasks[:0]
	}
}

// takeTurn makes the calling goroutine the one that steps. It does nothing if d is not manual, or the caller steps already.
func (d *Stepper) takeTurn() (leave func()) {
	m, g := d.manual, gid.Get()
	if m == nil || m.by.Load() == g {
		return func() {}
	}
	m.turn.Lock()
	m.by.Store(g)
	return func() {
		m.by.Store(0)
		m.turn.Unlock()
	}
}

// ended is called, outside of tasks, when a pool has been closed.
func (d *Stepper) ended() {
	if d.manual == nil {
		return
	}
	manuals.mu.Lock()
	manuals.all = slices.DeleteFunc(manuals.all, func(e *Stepper) bool { return e == d })
	manuals.mu.Unlock()
	d.manual.end()
}
