package steptest

import (
	"math/rand/v2"
	"runtime"
)

// Result is what a search has come to.
type Result struct {
	// Failed says that a schedule has failed.
	Failed bool
	// Kind is that of the failure: failure, panic, deadlock, leak, livelock, starvation or uncontrolled nondeterminism; or stuck, if a task has left
	// the control of the search; or options, if these are wrong.
	Kind string
	// Schedules is how many were tried, the failing one included.
	Schedules int
	// Steps is how many these had in all.
	Steps int64
	// Strategy has found it, Token replays it, and Text says in a few lines what is wrong.
	Strategy, Token, Text string
	// Complete says that nothing has failed, and that the strategies had no more schedules to try.
	Complete bool
}

// Search tries schedules of body, as [Run] does for a test of that name, and returns what has come of it instead of failing the test: for tools that compare
// strategies, and for tests of faults. It does not make the schedule simpler, and neither reads nor writes files. [Replay] takes
// the token. The embedded testing.TB of the body's T is nil.
func Search(name string, body func(*T), opts ...Option) Result {
	c, err := configure(append([]Option{NoCorpus()}, opts...))
	if err != nil {
		return Result{Failed: true, Kind: "options", Text: err.Error()}
	}
	c.pins = false
	x, err := newExplorer(namedOnly(name), c, body)
	if err != nil {
		return Result{Failed: true, Kind: "options", Text: err.Error()}
	}
	var found Result
	if r := x.watch(func() report { found = x.searched(); return report{} }); r.failed {
		// The goroutine that found belongs to goes on, so it must not be read.
		return Result{Failed: true, Kind: "stuck", Text: r.text}
	}
	return found
}

// searched is search on a stepper of its own, with the result in words.
func (x *explorer) searched() Result {
	x.open()
	defer x.d.Close()
	f, by, complete := x.search()
	r := Result{Schedules: x.tried, Steps: int64(x.progress.Load()), Complete: complete}
	if f != nil {
		r.Failed, r.Kind, r.Strategy, r.Token, r.Text = true, string(f.kind), by, f.token(), f.text
	}
	return r
}

// repeatFirst is how many of the first schedules are run again; later it is one of 64. A test that tries few, or that depends on the order of a small map, is
// to be found out too.
const repeatFirst = 8

// search tries new schedules until one fails, and returns that with the name of the strategy. complete is true if nothing has failed and nothing
// is left to try.
func (x *explorer) search() (f *failure, by string, complete bool) {
	// The run that the estimates are made from is one more schedule, as good as any.
	source := rand.New(&x.pcg)
	x.pcg.Seed(x.seed, 0)
	first := x.first()
	first.Begin(&Schedule{Rand: source})
	x.inspect = func() { x.program = first.program(x.d.Tasks()) }
	f = x.try(first, false)
	x.inspect = nil
	if f != nil || x.t.skips {
		return f, firstName, false
	}
	lists, ended := make([]int, len(x.c.strategies)), 0
	for n := 0; x.tried < x.c.schedules && !x.late(); n++ {
		if ended == len(lists) {
			return nil, "", true
		}
		at := n % len(lists)
		if lists[at] < 0 {
			continue
		}
		s := x.c.strategies[at]
		x.pcg.Seed(x.seed, uint64(n)+1)
		if !s.Begin(&Schedule{Index: lists[at], Rand: source, Program: x.program}) {
			lists[at] = -1
			ended++
			continue
		}
		lists[at]++
		f = x.try(s, x.c.early == earlyAlways || x.c.early == earlySometimes && n%4 == 3 && !searches(s))
		s.End()
		if f == nil && (n < repeatFirst || n%64 == 0) {
			f = x.repeat()
		}
		if f != nil {
			return f, nameOf(s), false
		}
	}
	return nil, "", false
}

// firstName is the strategy of the run that comes before all others, in reports.
const firstName = "first run"

// first returns the strategy for the run from which estimates are made: the portfolio's, if that is among the strategies; else, since it is no business of
// others to find what these are compared by, a random walk.
func (x *explorer) first() *survey {
	for _, s := range x.c.strategies {
		if _, ok := s.(*portfolio); ok {
			return opening()
		}
	}
	return &survey{Strategy: Random()}
}

// namedOnly is a test that has only a name: what it is told goes nowhere.
type namedOnly string

func (namedOnly) Helper()               {}
func (n namedOnly) Name() string        { return string(n) }
func (namedOnly) Logf(string, ...any)   {}
func (namedOnly) Errorf(string, ...any) {}
func (namedOnly) FailNow()              { runtime.Goexit() }
func (namedOnly) SkipNow()              { runtime.Goexit() }
