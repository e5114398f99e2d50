package pool

import (
	"context"
	"runtime"

	"github.com/lockstep-go/lockstep/internal/stepping"
)

// stepState is where a task stands.
type stepState uint8

const (
	stepNew stepState = iota
	stepPaused
	stepWaiting
	stepOver
)

// Step is a task of a stepper. What is exported is for choosers and reports to read.
type Step struct {
	ID     int       // in the order of the spawns
	Parent int       // -1 if there is none
	Path   uint64    // the same for the task's counterpart in other runs: made of the parent's, and its number among the children
	Site   uint32    // where it was spawned
	Queue  string    // its task queue
	Op     Op        // what it does next
	Obj    any       // with what
	Why    Why       // what it waits for
	Held   []any     // the locks it has
	Steps  int       // how many it has made
	Where  []uintptr // its stack at the last point, as runtime.Callers has it; only with Stepper.Where

	f        func()
	name     func() // what run queues hold of it
	pool     *Pool
	q        int
	w        *worker
	co       *Coroutine
	state    stepState
	pinned   bool
	section  *Pool // whose moved section it is
	handled  bool  // it runs far enough to report a forced shutdown
	yielded  bool
	offered  bool   // see step_policy.go
	waited   int    // the step in which its last wait ended
	last     int    // the step in which it was chosen last
	knows    vector // see step_order.go
	children uint64
	ctx      context.Context // that may end its wait
	ended    func()          // and is then called
	poll     func() bool     // ends its wait, if that is possible, and reports whether it has
	until    stepping.Gate   // keeps it at its point while it is not free; see step_inner.go
}

// Begun reports whether the task has begun.
func (t *Step) Begun() bool { return t.state != stepNew }

// Last returns the step in which the task was chosen last.
func (t *Step) Last() int { return t.last }

// Waited returns the step in which the task's last wait ended, 0 if none has.
func (t *Step) Waited() int { return t.waited }

// Live reports whether the task is not over.
func (t *Step) Live() bool { return t.state != stepOver }

// Waiting reports whether the task waits, as opposed to being able to go on.
func (t *Step) Waiting() bool { return t.state == stepWaiting }

// Worker returns the number of the task's worker in its pool, -1 before it has begun.
func (t *Step) Worker() int {
	if t.w == nil {
		return -1
	}
	return t.w.id
}

// SiteText returns file:line of the spawn.
func (t *Step) SiteText() string { return site(t.Site) }

// stands keeps where the calling task stands.
func (t *Step) stands() {
	t.Where = t.Where[:cap(t.Where)]
	if len(t.Where) == 0 {
		t.Where = make([]uintptr, 24)
	}
	t.Where = t.Where[:runtime.Callers(3, t.Where)]
}
