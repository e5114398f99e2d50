package steptest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// watch runs f on a goroutine of its own and returns what it returns, or, if no step is made for too long, a report of what holds it up. That
// goroutine, and the task, then stay for ever: nothing can end them.
func (x *explorer) watch(f func() report) report {
	done := make(chan report, 1)
	go func() { done <- f() }()
	tick := time.NewTicker(x.c.stuck)
	defer tick.Stop()
	before := ^uint64(0)
	for {
		select {
		case r := <-done:
			return r
		case <-tick.C:
			now := x.progress.Load()
			if now == before {
				if text := stuckText(x.c.stuck); text != "" {
					return report{failed: true, text: text}
				}
			}
			before = now
		}
	}
}

// stuckText looks for the tasks that are not parked at a point, and says what they do. It is empty if there are none.
func stuckText(after time.Duration) string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var found []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		head, rest, _ := strings.Cut(g, "\n")
		_, state, ok := strings.Cut(head, "[")
		if !ok || !strings.Contains(rest, "pool.(*Coroutine).stepLoop") || strings.HasPrefix(state, "coroutine") {
			continue
		}
		state, _, _ = strings.Cut(state, "]")
		state, _, _ = strings.Cut(state, ",")
		found = append(found, fmt.Sprintf("    at %s: %s\n\n%s", place(rest), advice(state), indent(g, "      ")))
	}
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("steptest: no step for %v: a task has left the control of the test\n\n%s\n", after, strings.Join(found, "\n\n"))
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
