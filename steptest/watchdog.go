package steptest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bases are the goroutines that run schedules, for all tests that are under way.
var bases sync.Map

// watch runs f on a goroutine of its own and returns what it returns, or, if no step is made for too long, a report of what holds it up. That
// goroutine, and the task, then stay for as long as that lasts: nothing can end them. Should it be over some day, so is the search.
func (x *explorer) watch(f func() report) report {
	done, begun := make(chan report, 1), make(chan bool)
	go func() {
		x.base = goroutineID()
		bases.Store(x.base, true)
		defer bases.Delete(x.base)
		close(begun)
		done <- f()
	}()
	<-begun
	tick := time.NewTicker(x.c.stuck)
	defer tick.Stop()
	before, idle := ^uint64(0), 0
	for {
		select {
		case r := <-done:
			return r
		case <-tick.C:
			now := x.progress.Load()
			if idle++; now != before {
				before, idle = now, 0
				continue
			}
			text, blocks := stuckText(time.Duration(idle)*x.c.stuck, x.base)
			if text != "" && (blocks || idle >= loopsAfter) {
				x.abandoned.Store(true)
				return report{failed: true, text: text}
			}
		}
	}
}

// loopsAfter is for how many times as long a task must have computed: on a machine that is overloaded it may just not get on.
const loopsAfter = 5

// stuckText looks for the tasks of a base that are not parked at a point, and says what they do. It is empty if there are none. blocks says
// that one of them will not go on by itself.
func stuckText(after time.Duration, base uint64) (text string, blocks bool) {
	all := goroutines()
	var ours, perhaps []string
	for _, g := range all {
		if !strings.Contains(g.stack, "pool.(*Coroutine).stepLoop") || strings.HasPrefix(g.state, "coroutine") {
			continue
		}
		text := fmt.Sprintf("    at %s: %s\n\n%s", place(g.stack), advice(g.state), indent(g.text, "      "))
		switch baseOf(g.id, all) {
		case base:
			ours = append(ours, text)
		case 0:
			perhaps = append(perhaps, text)
		default:
			continue
		}
		blocks = blocks || !computes(g.state)
	}
	if len(ours) == 0 {
		ours = perhaps
	}
	if len(ours) == 0 {
		return "", false
	}
	return fmt.Sprintf("steptest: no step for %v: a task has left the control of the test\n\n%s\n", after, strings.Join(ours, "\n\n")), blocks
}

// computes reports whether a goroutine in that state would go on if it had a processor.
func computes(state string) bool {
	return slices.ContainsFunc([]string{"run", "GC", "preempted", "copystack", "stopping"}, func(s string) bool { return strings.HasPrefix(state, s) })
}

// strayGoroutines says where goroutines stand that the tasks of a base have started and that are none.
func strayGoroutines(base uint64) []string {
	all := goroutines()
	var at []string
	for _, g := range all {
		if g.id != base && !strings.Contains(g.stack, "pool.(*Coroutine).main") && baseOf(g.id, all) == base {
			at = append(at, place(g.stack)+" ("+g.state+")")
		}
	}
	return at
}

// goroutine is one as the runtime prints it.
type goroutine struct {
	id, by             uint64 // its number, and that of the one that has started it
	state, stack, text string
}

// goroutines returns all that there are.
func goroutines() map[uint64]goroutine {
	buf := make([]byte, 1<<20)
	n := runtime.Stack(buf, true)
	for ; n == len(buf) && n < 1<<26; n = runtime.Stack(buf, true) {
		buf = make([]byte, 4*len(buf))
	}
	all := map[uint64]goroutine{}
	for text := range strings.SplitSeq(string(buf[:n]), "\n\n") {
		head, stack, _ := strings.Cut(text, "\n")
		id, state, ok := strings.Cut(strings.TrimPrefix(head, "goroutine "), " ")
		if !ok {
			continue
		}
		g := goroutine{id: number(id), stack: stack, text: text}
		_, g.state, _ = strings.Cut(state, "[")
		g.state, _, _ = strings.Cut(g.state, "]")
		g.state, _, _ = strings.Cut(g.state, ",")
		if i := strings.LastIndex(stack, " in goroutine "); i >= 0 {
			by, _, _ := strings.Cut(stack[i+len(" in goroutine "):], "\n")
			g.by = number(by)
		}
		all[g.id] = g
	}
	return all
}

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 64)
	return n
}

// baseOf returns the base from which a goroutine comes, by who has started whom; 0 if one of those is not there any more.
func baseOf(id uint64, all map[uint64]goroutine) uint64 {
	for ; id != 0; id = all[id].by {
		if _, ok := bases.Load(id); ok {
			return id
		}
	}
	return 0
}

// goroutineID is the number of the calling goroutine.
func goroutineID() uint64 {
	var buf [64]byte
	id, _, _ := strings.Cut(strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine "), " ")
	return number(id)
}

// advice says what a goroutine's state, as the runtime calls it, means here.
func advice(state string) string {
	switch {
	case strings.HasPrefix(state, "chan receive"), strings.HasPrefix(state, "chan send"):
		return "it blocks on a native channel (" + state + "). Use chans.Chan, or chans.ReceiveNative and SendNative"
	case strings.HasPrefix(state, "select"):
		return "it blocks in a native select. Use chans.Select"
	case strings.HasPrefix(state, "sync.Mutex"), strings.HasPrefix(state, "semacquire"), strings.HasPrefix(state, "sync.RWMutex"):
		return "it blocks on a native lock (" + state + ") that another task has. Use tasksync.Mutex or RWMutex, or do not hold it over a point"
	case strings.HasPrefix(state, "sync.WaitGroup"):
		return "it blocks in sync.WaitGroup.Wait. Use tasksync.WaitGroup, or lockstep.NewGroup"
	case strings.HasPrefix(state, "sync.Cond"):
		return "it blocks in sync.Cond.Wait. Use tasksync.Cond"
	case strings.HasPrefix(state, "sleep"):
		return "it sleeps in real time. Use lockstep.Sleep"
	case strings.HasPrefix(state, "IO wait"), strings.HasPrefix(state, "syscall"):
		return "it waits for input or output (" + state + "), which can't be stepped"
	case strings.HasPrefix(state, "running"), strings.HasPrefix(state, "runnable"):
		return "it computes without coming to a point. If it waits for another task in a loop, call lockstep.Yield there"
	}
	return "it is in state " + state
}

// place is file:line of the first frame of a printed stack that is neither the library's nor the standard library's.
func place(stack string) string {
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		f := runtime.Frame{Function: lines[i]}
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		f.File, _, _ = strings.Cut(at, ":")
		if ours(f) || strings.HasPrefix(f.Function, "sync.") || strings.HasPrefix(f.Function, "time.") || strings.HasPrefix(f.Function, "internal/") {
			continue
		}
		return filepath.Base(at)
	}
	return "an unknown place"
}
