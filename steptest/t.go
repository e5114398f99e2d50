package steptest

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
)

// T is what the body of a test gets, anew for each schedule. It has the methods of testing.T, so that
// assertion libraries take it; a failure is one of the schedule, which ends there. It may be used
// from every task of the body.
type T struct {
	testing.TB // the test's own, for what is the same in all schedules: Name, TempDir, Setenv

	x *explorer
	d *pool.Stepper

	mu       sync.Mutex // goroutines that the body has started, and should not have, may use it too
	failed   string     // the first failure, "" if there is none
	stack    []byte
	by       *Task
	skipped  string
	skips    bool
	logs     []string
	cleanups []func()
	cancel   context.CancelCauseFunc
	ctx      context.Context
	labels   map[any]string
	events   []Event
	pools    int
}

// Pool returns a pool whose tasks are stepped, as lockstep.New makes one; the options are the same, and the number of workers, unless given,
// that of [Workers]. It need not be closed. A wrong option fails the test.
//
// Code under test may also call lockstep.New itself: inside a body that makes a stepped pool too.
func (t *T) Pool(opts ...lockstep.Option) *lockstep.Pool {
	t.Helper()
	t.mu.Lock()
	k := t.pools
	t.pools++
	t.mu.Unlock()
	p, err := t.x.pool(k, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Choose returns a number from 0 to n-1, which is part of the schedule: all are tried in the course of the schedules. It panics if n is not positive.
func (t *T) Choose(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("lockstep: steptest: Choose(%d) has nothing to choose from", n))
	}
	return max(pool.Decide(pool.ChoiceUser, n), 0)
}

// Maybe reports true in about the share p of the schedules: a fault, a slow path, an early return that is injected. It is part of the schedule, and false if
// the schedule says nothing.
func (t *T) Maybe(p float64) bool {
	switch {
	case !(p > 0):
		return false
	case p >= 1:
		return true
	case p > 0.5:
		return t.Choose(rareOf(1-p)) == 0
	}
	n := rareOf(p)
	return t.Choose(n) == n-1
}

// rareOf is one in how many p is, at most 16, since a search that is complete takes each in turn.
func rareOf(p float64) int { return int(min(max(math.Round(1/p), 2), 16)) }

// Point is a point in the calling task where another one may go on. label tells in the trace which it is.
func (t *T) Point(label string) { pool.Point(pool.OpPoint, label) }

// Atomic calls f without points inside: no other task goes on until f returns, unless f waits.
func (t *T) Atomic(f func()) {
	t.d.Atomic(1)
	defer t.d.Atomic(-1)
	f()
}

// Work lets d pass on the clock, as if the calling task had computed for so long. Timers that are due by then may fire.
func (t *T) Work(d time.Duration) { t.d.Spent(d) }

// Now returns the time on the clock that the tasks share. It begins at midnight UTC of January 1st, 2000, and moves when nothing else can.
func (t *T) Now() time.Time { return pool.Now() }

// Label gives obj, a pointer to a lock, a channel or a variable, a name in traces.
func (t *T) Label(obj any, name string) {
	by := t.d.Enter()
	if t.labels == nil {
		t.labels = map[any]string{}
	}
	t.labels[obj] = name
	by.Leave()
}

// Eventually waits until cond is true, which it asks at every turn of the calling task, and fails the test if that is not so after the given number of
// turns, and not either after as many more in which all tasks that can go on take turns: a strategy that starves somebody is
// no reason to fail.
func (t *T) Eventually(cond func() bool, turns int) {
	t.Helper()
	for range turns {
		if cond() {
			return
		}
		lockstep.Yield()
	}
	t.fairFor(turns)
	defer t.fairFor(0)
	for range turns {
		if cond() {
			return
		}
		lockstep.Yield()
	}
	t.Fatalf("not so after %d turns, of which half were fair", 2*turns)
}

func (t *T) fairFor(turns int) {
	by := t.d.Enter()
	t.x.rec.fairFor(turns)
	by.Leave()
}

// Context returns a context that ends just before the functions of Cleanup are called.
func (t *T) Context() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx == nil {
		t.ctx, t.cancel = context.WithCancelCause(context.Background())
	}
	return t.ctx
}

// Cleanup has f called, as part of the schedule, when the body has returned; the last one first.
func (t *T) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// body calls f and the cleanups, as the first task.
func (t *T) body(f func(*T)) {
	defer t.cleanup()
	f(t)
}

func (t *T) cleanup() {
	t.mu.Lock()
	cancel := t.cancel
	t.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
	t.cleanUp()
}

// cleanUp calls them all, also if one ends the task, as it does at its first point once the schedule has failed.
func (t *T) cleanUp() {
	t.mu.Lock()
	n := len(t.cleanups)
	if n == 0 {
		t.mu.Unlock()
		return
	}
	f := t.cleanups[n-1]
	t.cleanups = t.cleanups[:n-1]
	t.mu.Unlock()
	defer t.cleanUp()
	f()
}

// Output returns what Log writes to.
func (t *T) Output() io.Writer { return output{t} }

type output struct{ t *T }

// Write keeps p for the report of a failure.
func (o output) Write(p []byte) (int, error) {
	o.t.log(string(p))
	return len(p), nil
}

// Name returns the name of the test.
func (t *T) Name() string { return t.x.name }

// Helper does nothing: a failure is reported with its stack.
func (*T) Helper() {}

// Log keeps a line for the report of a failure.
func (t *T) Log(args ...any) { t.log(fmt.Sprintln(args...)) }

// Logf keeps a line for the report of a failure.
func (t *T) Logf(format string, args ...any) { t.log(fmt.Sprintf(format, args...) + "\n") }

func (t *T) log(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.logs = append(t.logs, s)
}

// Error is Log and Fail.
func (t *T) Error(args ...any) { t.fail(fmt.Sprintln(args...)) }

// Errorf is Logf and Fail.
func (t *T) Errorf(format string, args ...any) { t.fail(fmt.Sprintf(format, args...) + "\n") }

// Fatal is Log and FailNow.
func (t *T) Fatal(args ...any) {
	t.fail(fmt.Sprintln(args...))
	runtime.Goexit()
}

// Fatalf is Logf and FailNow.
func (t *T) Fatalf(format string, args ...any) {
	t.fail(fmt.Sprintf(format, args...) + "\n")
	runtime.Goexit()
}

// Fail says that the schedule has failed. It ends at the next point.
func (t *T) Fail() { t.fail("Fail\n") }

// FailNow is Fail, and ends the calling task.
func (t *T) FailNow() {
	t.mu.Lock()
	failed := t.failed != ""
	t.mu.Unlock()
	if !failed {
		t.fail("FailNow\n")
	}
	runtime.Goexit()
}

func (t *T) fail(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != "" {
		t.logs = append(t.logs, s)
		return
	}
	t.failed = s
	if t.x.rec.traces {
		t.stack = debug.Stack()
	}
	t.by = t.d.Running()
	t.d.Stop()
}

// Failed reports whether the schedule has failed.
func (t *T) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed != ""
}

// Skip is Log and SkipNow.
func (t *T) Skip(args ...any) {
	t.skipped = fmt.Sprintln(args...)
	t.SkipNow()
}

// Skipf is Logf and SkipNow.
func (t *T) Skipf(format string, args ...any) {
	t.skipped = fmt.Sprintf(format, args...)
	t.SkipNow()
}

// SkipNow skips the schedule: it ends here, and is not counted as failed. If the first schedule does so, the test is skipped.
func (t *T) SkipNow() {
	t.skips = true
	t.d.Stop()
	runtime.Goexit()
}

// Skipped reports whether the schedule was skipped.
func (t *T) Skipped() bool { return t.skips }
