package steptest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/internal/racectx"
	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/pool"
)

// TB is what Run needs of a test: *testing.T, *testing.B, *testing.F and the T of pgregory.net/rapid have it.
type TB interface {
	Helper()                           // as in testing.TB
	Name() string                      // as in testing.TB
	Logf(format string, args ...any)   // as in testing.TB
	Errorf(format string, args ...any) // as in testing.TB
	FailNow()                          // as in testing.TB
	SkipNow()                          // as in testing.TB
}

// Run calls body once for each of many schedules, and fails the test at the first schedule in which body fails: by
// a failure of its T, a panic, a deadlock, tasks that are left waiting, or by not coming to an end. It then
// shrinks the schedule, prints it with a token that repeats it, and keeps it in testdata/steptest, where later runs look first.
//
// body is a task, and its package-level calls (lockstep.Go, Spawn, NewGroup and so on) use a stepped pool, as do those of the
// tasks that it starts. Other pools come from [T.Pool]. Everything else is as in production: the same pool, queues, locks, channels and timers.
// Each call of body must begin from the same state, and must depend on nothing but what it is given: no other goroutines,
// clocks, random numbers or order of maps. That is looked after: some schedules are run twice and compared.
//
// Tests may be parallel. Run makes one goroutine, which has ended when Run returns, unless a task blocks natively.
func Run(t TB, body func(*T), opts ...Option) {
	t.Helper()
	c, err := configure(opts)
	if err != nil {
		fatal(t, err.Error())
	}
	x, err := newExplorer(t, c, body)
	if err != nil {
		fatal(t, err.Error())
	}
	if *flagReplay != "" {
		x.watched(func() report { return x.replayToken(*flagReplay, *flagTrace) })
		return
	}
	x.watched(x.explore)
}

// Replay calls body with the schedule of a token that Run has printed, or of a file that has one. It fails as that
// did, or not any more: then the schedule is a regression test.
func Replay(t TB, token string, body func(*T), opts ...Option) {
	t.Helper()
	c, err := configure(opts)
	if err != nil {
		fatal(t, err.Error())
	}
	x, err := newExplorer(t, c, body)
	if err != nil {
		fatal(t, err.Error())
	}
	x.watched(func() report { return x.replayToken(token, *flagTrace) })
}

func fatal(t TB, text string) {
	t.Helper()
	t.Errorf("%s", text)
	t.FailNow()
}

// explorer tries schedules of one body.
type explorer struct {
	tb   TB
	real testing.TB // tb, if it is one
	name string
	c    *config
	body func(*T)

	d         *pool.Stepper
	rec       recorder
	t         *T // of the run
	main      func()
	returned  bool
	pools     []*lockstep.Pool // without options, by the number of the call, kept from run to run
	ticks     int64
	progress  relaxed.Uint64
	abandoned atomic.Bool // somebody has reported that no step is made; should there be one after all, it is to be the last
	base      uint64      // the goroutine that runs the schedules

	seed    uint64
	pcg     rand.PCG
	program Program
	tried   int
	began   time.Time
	cover   coverage
	names   *trace // of objects
	inspect func() // at the end of a run, before its tasks are ended
}

func newExplorer(t TB, c *config, body func(*T)) (*explorer, error) {
	switch {
	case body == nil:
		return nil, fmt.Errorf("steptest: the body is nil")
	case pool.CurrentStepper() != nil:
		return nil, fmt.Errorf("steptest: a task of a body tries schedules itself, which would block the one that it is in")
	}
	x := &explorer{tb: t, name: t.Name(), c: c, body: body, began: time.Now()}
	x.real, _ = t.(testing.TB)
	x.main = func() {
		x.t.body(x.body)
		x.returned = true
	}
	var err error
	x.seed, err = seedOf(x.name, c.seed)
	x.rec.limit = c.steps
	x.rec.progress, x.rec.abandoned = &x.progress, &x.abandoned
	if len(c.strategies) == 0 {
		c.strategies = []Strategy{Portfolio()}
	}
	return x, err
}

// report is what comes out of a search or a replay.
type report struct {
	failed bool
	skip   bool
	text   string
}

// explore tries the pinned schedules first and then new ones.
func (x *explorer) explore() report {
	x.open()
	defer x.d.Close()
	if r, failed := x.pinned(); failed {
		return r
	}
	f, by, complete := x.search()
	switch {
	case f != nil:
		return x.failure(f, by)
	case x.t.skips && x.tried == 1:
		return report{skip: true, text: x.t.skipped}
	}
	return report{text: x.summary(complete)}
}

func (x *explorer) late() bool {
	return x.abandoned.Load() || x.c.time > 0 && x.tried%8 == 0 && time.Since(x.began) > x.c.time
}

func (x *explorer) open() {
	x.d = pool.NewStepper(&x.rec)
	x.d.Workers, x.d.Strict, x.d.Policy, x.d.Fine = x.c.workers, x.c.strict, x.c.policy, x.c.fine
	x.d.MaxSteps = 2 * x.c.steps
	x.d.Switches = !x.c.races
	x.rec.stop = x.d.Stop
}

// try runs one schedule of a strategy.
func (x *explorer) try(s Strategy, early bool) *failure {
	x.tried++
	x.rec.begin(s, nil)
	return x.once(early)
}

// run runs one schedule that is given.
func (x *explorer) run(s schedule) *failure {
	x.rec.begin(nil, s.choices)
	return x.once(s.early)
}

// once runs the body once, by what the recorder was prepared for.
func (x *explorer) once(early bool) *failure {
	x.d.Early = early
	x.d.Renew()
	x.t, x.returned, x.ticks = &T{TB: x.real, x: x, d: x.d}, false, 0
	races := racectx.Reports()
	stop := x.d.Run(x.main)
	f := x.judge(stop)
	if racectx.Reports() > races && (f == nil || f.kind != kindForeign) {
		f = &failure{kind: kindRace, text: "the race detector has reported it, above"}
	}
	if f != nil {
		f.early = early
		f.choices = append([]uint16(nil), x.rec.choices...)
		f.print = x.rec.print
	} else if *flagCover {
		x.cover.add(x.rec.print)
	}
	if x.inspect != nil {
		x.inspect()
	}
	if !x.d.End() {
		x.d.Discard(0)
		x.pools = nil
	} else if x.d.Pools() > 1+len(x.pools) {
		x.d.Discard(1 + len(x.pools))
	}
	return f
}

// pool returns the k-th pool of the run.
func (x *explorer) pool(k int, opts []lockstep.Option) (*lockstep.Pool, error) {
	if len(opts) == 0 && k < len(x.pools) {
		return x.pools[k], nil
	}
	keep := len(opts) == 0 && k == len(x.pools) && x.d.Pools() == 1+k
	p, err := lockstep.New(opts...)
	if err == nil && keep {
		x.pools = append(x.pools, p)
	}
	return p, err
}

// repeat runs the schedule that has just been run once more, and fails if something is different.
func (x *explorer) repeat() *failure {
	first := schedule{early: x.d.Early, choices: append([]uint16(nil), x.rec.choices...)}
	print := x.rec.print
	f := x.run(first)
	if f == nil && (x.rec.print != print || x.rec.strayed) {
		f = &failure{kind: kindStrays, schedule: first}
	}
	return f
}

// summary is for a search that has found nothing.
func (x *explorer) summary(complete bool) string {
	if !testing.Verbose() && !*flagCover {
		return ""
	}
	took := time.Since(x.began)
	s := fmt.Sprintf("steptest: %d schedules in %v (%.0f a second), no failure", x.tried, took.Round(time.Millisecond), float64(x.tried)/took.Seconds())
	if complete {
		s += "; complete: the strategies have no more"
	}
	for _, st := range x.c.strategies {
		if d, ok := st.(fmt.Stringer); ok {
			s += "; " + d.String()
		}
	}
	if *flagCover {
		s += "; " + x.cover.String()
	}
	return s
}

// watched runs f on a goroutine of its own, looks whether it gets on, and reports.
func (x *explorer) watched(f func() report) {
	x.tb.Helper()
	r := x.watch(f)
	switch {
	case r.failed:
		fatal(x.tb, r.text)
	case r.skip:
		x.tb.Logf("%s", r.text)
		x.tb.SkipNow()
	case r.text != "":
		x.tb.Logf("%s", r.text)
	}
}

// replayToken runs the schedule of a token, or of a file.
func (x *explorer) replayToken(text string, trace bool) report {
	s, err := parseToken(text)
	if err != nil {
		return report{failed: true, text: err.Error()}
	}
	x.open()
	defer x.d.Close()
	f := x.run(s)
	switch {
	case f != nil:
		return x.failure(f, "replay")
	case x.t.skips:
		return report{skip: true, text: x.t.skipped}
	case trace:
		return report{text: x.traced(s)}
	case x.rec.unfit():
		return report{text: "steptest: the schedule does not fit the program any more; it has not failed"}
	}
	return report{}
}

// pinned runs the schedules that are kept for the test.
func (x *explorer) pinned() (report, bool) {
	if !x.c.pins {
		return report{}, false
	}
	for _, name := range pinnedFiles(x.name) {
		b, err := os.ReadFile(name)
		if err != nil {
			return report{failed: true, text: err.Error()}, true
		}
		s, err := parsePinned(b)
		if err != nil {
			return report{failed: true, text: fmt.Sprintf("%s: %v", name, err)}, true
		}
		if f := x.run(s); f != nil {
			f.from = name
			return x.failure(f, "pinned"), true
		}
	}
	return report{}, false
}
