package steptest

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"github.com/lockstep-go/lockstep/pool"
)

// A trace is what the tasks of a run did, step by step, to be read by people: a column for each task.
type trace struct {
	x     *explorer
	lines []traceLine
	names map[any]string
	count map[string]int
	wide  int // tasks

	tasks  int  // that there were at the last step
	spawns bool // the last step has spawned one
}

type traceLine struct {
	step int
	task int
	text string
}

// traceMost bounds the steps that are printed: the last ones, where the failure is.
const traceMost = 100

// columnsMost bounds the tasks that get a column of their own.
const columnsMost = 6

// record runs the schedule once more and keeps what it does. The failure it ends with knows its places in the code.
func (x *explorer) record(s schedule) (*trace, *failure) {
	tr := &trace{x: x}
	x.names = tr
	x.rec.traces = true
	x.d.Where = true
	x.d.Watch = tr.watch
	x.inspect = tr.end
	f := x.run(s)
	x.d.Watch, x.d.Where, x.rec.traces, x.inspect = nil, false, false, nil
	return tr, f
}

// watch notes what t is about to do.
func (tr *trace) watch(t *Task) {
	tr.noteSpawned(len(tr.x.d.Tasks()))
	text := t.Op.String()
	if t.Waiting() && (t.Op != pool.OpCancel || t.Woken()) {
		text = "goes on" // after a wait
	}
	switch {
	case t.Op == pool.OpSpawn:
		text = fmt.Sprintf("spawn t%d", len(tr.x.d.Tasks()))
	case t.Op == pool.OpClock:
		text = "time passes"
	case t.Obj != nil && text != "goes on":
		if label, ok := t.Obj.(string); ok {
			text = label
		} else {
			text += " " + tr.x.objectName(t.Obj)
		}
	}
	if at := position(t.Where); at != "" && t.Begun() {
		text += "  " + at
	}
	if t.Op == pool.OpLock && text != "goes on" {
		if by := holder(tr.x.d.Tasks(), t); by != nil && by != t {
			text += "  (" + shortName(by) + " has it)"
		}
	}
	tr.lines = append(tr.lines, traceLine{tr.x.rec.steps, t.ID, text})
	tr.wide = max(tr.wide, t.ID+1)
	tr.spawns = t.Op == pool.OpSpawn
}

// noteSpawned says which tasks the last step has spawned, where it does not say so itself.
func (tr *trace) noteSpawned(n int) {
	if last := len(tr.lines) - 1; last >= 0 && n > tr.tasks {
		first := tr.tasks
		if tr.spawns {
			first++
		}
		for i := first; i < n; i++ {
			tr.lines[last].text += fmt.Sprintf(", spawns t%d", i)
		}
	}
	tr.tasks = n
}

// end notes who waits at the end.
func (tr *trace) end() {
	for _, t := range tr.x.d.Tasks() {
		if t.Live() && t.Begun() && t.Waiting() {
			tr.lines = append(tr.lines, traceLine{tr.x.rec.steps, t.ID, "waits for ever"})
		}
	}
}

// String is the table.
func (tr *trace) String() string {
	lines := tr.lines
	var b strings.Builder
	if n := len(lines) - traceMost; n > 0 {
		fmt.Fprintf(&b, "    (%d steps before)\n", n)
		lines = lines[n:]
	}
	if tr.wide > columnsMost {
		for _, l := range lines {
			fmt.Fprintf(&b, "    %4d  %-5s %s\n", l.step, shortName(&Task{ID: l.task}), l.text)
		}
		return b.String()
	}
	width := make([]int, tr.wide+1)
	for _, l := range lines {
		width[l.task+1] = max(width[l.task+1], len(l.text))
	}
	b.WriteString("    step")
	for i, w := range width {
		if i > 0 || w > 0 {
			name := shortName(&Task{ID: i - 1})
			width[i] = max(w, len(name))
			fmt.Fprintf(&b, "  %-*s", width[i], name)
		}
	}
	text := strings.TrimRight(b.String(), " ") + "\n"
	b.Reset()
	b.WriteString(text)
	for _, l := range lines {
		row := fmt.Sprintf("    %4d", l.step)
		for i, w := range width {
			switch {
			case i == l.task+1:
				row += "  " + l.text
			case i < l.task+1 && (i > 0 || w > 0):
				row += "  " + strings.Repeat(" ", w)
			}
		}
		b.WriteString(row + "\n")
	}
	return b.String()
}

// objectName is what a lock, a channel and so on is called: by the test's label, or by its type and its number in the order of first use.
func (x *explorer) objectName(obj any) string {
	if name := x.t.labels[obj]; name != "" {
		return name
	}
	tr := x.names
	if tr == nil {
		tr = &trace{x: x}
	}
	if name := tr.names[obj]; name != "" {
		return name
	}
	if tr.names == nil {
		tr.names, tr.count = map[any]string{}, map[string]int{}
	}
	kind := kindOf(obj)
	tr.count[kind]++
	name := fmt.Sprintf("%s#%d", kind, tr.count[kind])
	tr.names[obj] = name
	return name
}

// kindOf is the name of the type that obj points to, without package and parameters.
func kindOf(obj any) string {
	v := reflect.TypeOf(obj)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	name, _, _ := strings.Cut(v.Name(), "[")
	switch name {
	case "":
		return v.Kind().String()
	case "handle":
		return "task"
	case "bell":
		return "Timer"
	case "fan":
		return "fan-out"
	}
	return name
}

// position is file:line of the innermost frame that is not lockstep's own.
func position(stack []uintptr) string {
	if len(stack) == 0 {
		return ""
	}
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if f.Function != "" && !ours(f) {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// ours reports whether the frame is of the library, and not of its tests.
func ours(f runtime.Frame) bool {
	rest, ok := strings.CutPrefix(f.Function, modulePath)
	if !ok || strings.HasSuffix(f.File, "_test.go") {
		return strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "iter.")
	}
	for _, of := range []string{".", "/pool.", "/tasksync.", "/chans.", "/steptest.", "/queue."} {
		if strings.HasPrefix(rest, of) {
			return true
		}
	}
	return false
}

const modulePath = "github.com/lockstep-go/lockstep"

// shortPath is the last element of the path before file:line.
func shortPath(s string) string { return filepath.Base(s) }
