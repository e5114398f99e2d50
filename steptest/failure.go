package steptest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-go/lockstep/pool"
)

// kind is what is wrong with a schedule.
type kind string

const (
	kindFailed   kind = "failure"
	kindPanic    kind = "panic"
	kindDeadlock kind = "deadlock"
	kindLeak     kind = "leak"
	kindLivelock kind = "livelock"
	kindStarved  kind = "starvation"
	kindStrays   kind = "uncontrolled nondeterminism"
	kindRace     kind = "data race"
	kindForeign  kind = "uncontrolled goroutine"
)

// failure is a schedule that has failed.
type failure struct {
	schedule
	kind  kind
	text  string
	stack []byte
	print uint64
	from  string // the file that it comes from
}

// same reports whether two failures are of the same fault, as far as one can tell.
func (f *failure) same(g *failure) bool {
	return f != nil && g != nil && f.kind == g.kind && (f.kind != kindFailed && f.kind != kindPanic || firstLine(f.text) == firstLine(g.text))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(s, "\n\t "), "\n")
	return line
}

// judge looks at a run that has ended, before its tasks are ended.
func (x *explorer) judge(stop pool.StopReason) *failure {
	switch {
	case x.d.Foreign() != "":
		return &failure{kind: kindForeign, text: x.d.Foreign()}
	case x.t.Failed():
		f := &failure{kind: kindFailed, text: x.t.failed, stack: x.t.stack}
		if x.t.by != nil {
			f.text = fmt.Sprintf("%s\n(in %s)", strings.TrimRight(f.text, "\n"), taskName(x.t.by))
		}
		return f
	case x.t.skips:
		return nil
	case stop == pool.StopPanic:
		e, by := x.d.Panic()
		return &failure{kind: kindPanic, text: fmt.Sprintf("%v\n(in %s)", e.Value, taskName(by)), stack: e.Stack}
	case stop == pool.StopSteps:
		return x.endless()
	case stop == pool.StopDeadlock && !x.returned:
		return &failure{kind: kindDeadlock, text: x.waiting()}
	case stop == pool.StopDeadlock && x.c.leaks:
		return &failure{kind: kindLeak, text: "the body has returned, and these tasks wait for ever:\n" + x.waiting()}
	case !x.returned && stop == pool.StopDone:
		return &failure{kind: kindFailed, text: "the body has called runtime.Goexit without failing the test"}
	}
	return nil
}

// endless tells apart how a run can go on for ever, although all tasks took turns in its second half. If waits have ended in that half, others got on, and
// who has waited through all of it is starved. Otherwise all are in loops that get nowhere, or wait for those.
func (x *explorer) endless() *failure {
	text := fmt.Sprintf("the schedule has not ended after %d steps, of which all tasks took turns in the second half", x.rec.steps)
	kind, got := kindLivelock, false
	var idle []string
	for _, t := range x.d.Tasks() {
		if since := t.Waited(); since > x.rec.limit {
			got = true
		}
		if t.Live() && t.Waiting() {
			if idle = append(idle, ""); len(idle) <= describedMost {
				idle[len(idle)-1] = x.describe(t)
			}
			if t.Last() < x.rec.limit {
				kind = kindStarved
			}
		}
	}
	switch {
	case !got:
		kind = kindLivelock
	case kind == kindStarved:
		text += ", and others got what they waited for"
	}
	if n := len(x.d.Tasks()); n > describedMost {
		text += fmt.Sprintf("; %d tasks were spawned", n-1)
	}
	if len(idle) > 0 {
		text += "; these wait:\n" + strings.Join(idle[:min(len(idle), describedMost)], "\n")
	}
	if n := len(idle) - describedMost; n > 0 {
		text += fmt.Sprintf("\nand %d more", n)
	}
	return &failure{kind: kind, text: text}
}

// describedMost bounds the tasks that a report describes.
const describedMost = 30

// waiting describes the tasks that wait, and the circle that they wait in, if there is one.
func (x *explorer) waiting() string {
	var b strings.Builder
	var stuck []*Task
	for _, t := range x.d.Tasks() {
		if t.Live() && t.Begun() {
			if stuck = append(stuck, t); len(stuck) <= describedMost {
				fmt.Fprintf(&b, "  %s\n", x.describe(t))
			}
		}
	}
	if n := len(stuck) - describedMost; n > 0 {
		fmt.Fprintf(&b, "  and %d more\n", n)
	}
	if c := circle(stuck); c != nil {
		fmt.Fprintf(&b, "  circle: %s\n", x.circleText(c))
	}
	if x.rec.traces {
		for _, at := range strayGoroutines(x.base) {
			fmt.Fprintf(&b, "  a goroutine that the body has started is at %s: the schedule does not wait for it; use lockstep.Go\n", at)
		}
	}
	return b.String()
}

// describe says what a task waits for and who has it.
func (x *explorer) describe(t *Task) string {
	s := fmt.Sprintf("%s is %s", taskName(t), t.Why)
	if t.Obj != nil {
		s += ": " + x.objectName(t.Obj)
		if by := holder(x.d.Tasks(), t); by != nil {
			s += ", which " + shortName(by) + " has"
		}
	}
	if at := position(t.Where); at != "" {
		s += ", at " + at
	}
	if len(t.Held) > 0 {
		var names []string
		for _, o := range t.Held {
			names = append(names, x.objectName(o))
		}
		s += "; it has " + strings.Join(names, ", ")
	}
	if at, ok := t.Deadline(); ok && time.Since(at) < time.Hour { // the schedule's time is long ago
		s += "; its context ends at a time of the real clock, which the schedule does not wait for: use lockstep.WithTimeout or WithDeadline"
	}
	return s
}

// holder returns who has what t waits for, nil if nobody is known to.
func holder(all []*Task, t *Task) *Task {
	if t.Obj == nil {
		return nil
	}
	for _, by := range all {
		if by.Live() && slices.Contains(by.Held, t.Obj) {
			return by
		}
	}
	return nil
}

// circle returns tasks of which each waits for a lock of the next one, and the last for one of the first, nil if there are none.
func circle(waiting []*Task) []*Task {
	for _, first := range waiting {
		var path []*Task
		for t := first; t != nil && t.Waiting(); t = holder(waiting, t) {
			if i := slices.Index(path, t); i >= 0 {
				return path[i:]
			}
			path = append(path, t)
		}
	}
	return nil
}

func (x *explorer) circleText(c []*Task) string {
	var parts []string
	for i, t := range c {
		parts = append(parts, fmt.Sprintf("%s waits for %s of %s", shortName(t), x.objectName(t.Obj), shortName(c[(i+1)%len(c)])))
	}
	return strings.Join(parts, ", ")
}

// shortName is t3, or body for the first task.
func shortName(t *Task) string {
	switch {
	case t.ID == 0:
		return "body"
	case t.ID < 0:
		return "clock"
	}
	return fmt.Sprintf("t%d", t.ID)
}

// taskName is the name with where the task was spawned.
func taskName(t *Task) string {
	if t.ID <= 0 {
		return "the " + shortName(t)
	}
	return fmt.Sprintf("%s (spawned at %s)", shortName(t), shortPath(t.SiteText()))
}
