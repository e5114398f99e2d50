package steptest

import (
	"fmt"
	"time"
)

// Option configures [Run], [Replay] and [Fuzz].
type Option func(*config)

type config struct {
	schedules  int
	time       time.Duration
	seed       string
	strategies []Strategy
	steps      int
	workers    int
	strict     bool
	policy     bool
	fine       bool
	early      earlyTimers
	stuck      time.Duration
	leaks      bool
	pins       bool
	races      bool
	problems   []string
}

// earlyTimers says in which schedules timers may fire before nothing else can run.
type earlyTimers uint8

const (
	earlySometimes earlyTimers = iota // in one of four
	earlyNever
	earlyAlways
)

func configure(opts []Option) (*config, error) {
	c := &config{steps: defaultSteps, workers: 2, stuck: time.Second, leaks: true, pins: true, races: *flagRaces}
	for _, o := range opts {
		o(c)
	}
	if len(c.problems) > 0 {
		return nil, fmt.Errorf("steptest: %s", c.problems[0])
	}
	return c, c.settle()
}

func (c *config) must(ok bool, format string, args ...any) {
	if !ok {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

// Schedules is how many schedules are tried: 1000 by default, or as many as a second allows, whichever is less; 100 with -short.
func Schedules(n int) Option {
	return func(c *config) { c.schedules = n; c.must(n > 0, "Schedules(%d) must be positive", n) }
}

// For bounds the time for which schedules are tried.
func For(d time.Duration) Option {
	return func(c *config) { c.time = d; c.must(d > 0, "For(%v) must be positive", d) }
}

// Seed is what the strategies draw from. By default it is made from the test's name, so that a test tries the same schedules every time.
func Seed(n uint64) Option { return func(c *config) { c.seed = fmt.Sprint(n) } }

// Strategies are used in turn. The default is [Portfolio].
func Strategies(s ...Strategy) Option {
	return func(c *config) { c.strategies = s; c.must(len(s) > 0, "Strategies needs at least one") }
}

// MaxSteps is how many steps a schedule may take, 20,000 by default, before it is seen as one that does not end. It then gets as many
// more in which all tasks take turns, and if it ends in these, it is only one in which somebody was starved.
func MaxSteps(n int) Option {
	return func(c *config) { c.steps = n; c.must(n > 0, "MaxSteps(%d) must be positive", n) }
}

// Workers gives pools that do not say n workers, each of which runs one task at a time: another one goes on there only when
// that one yields, waits or ends. With one worker tasks are never interrupted elsewhere. Without this option every task may
// be interrupted at every point, as if there were a worker for each.
func Workers(n int) Option {
	return func(c *config) { c.workers, c.strict = n, true; c.must(n > 0, "Workers(%d) must be positive", n) }
}

// EarlyTimers says whether timers may fire while tasks can run, as they do where these are slow: by default in one schedule of four.
func EarlyTimers(on bool) Option {
	return func(c *config) {
		c.early = earlyNever
		if on {
			c.early = earlyAlways
		}
	}
}

// StuckAfter is how long a task may take from one point to the next, in real time, before the test fails because it blocks natively: 1 s by default.
// One that computes, and so may just lack a processor, is given five times as long.
func StuckAfter(d time.Duration) Option {
	return func(c *config) { c.stuck = d; c.must(d > 0, "StuckAfter(%v) must be positive", d) }
}

// AllowLeaks accepts tasks that still wait when the body has returned and nothing else can run.
func AllowLeaks() Option { return func(c *config) { c.leaks = false } }

// NoCorpus neither writes failures to testdata/steptest nor reads them from there.
func NoCorpus() Option { return func(c *config) { c.pins = false } }

// Policy lets each worker's task queues decide which of its tasks comes next, as they do in production, by shares, latencies and who has yielded; the strategies
// decide only which worker goes on. It is for tests of shares and of fairness, with [T.Work] for time that tasks use. There is one clock: what a task of
// one worker uses is charged to those that are at their turn on the others too, so that shares come out exactly with one worker only.
func Policy() Option { return func(c *config) { c.policy, c.strict = true, true } }

// Fine makes points also inside of the operations of tasksync, chans and the pool: before their atomic transitions, and where they take and leave the locks
// of their lists. It is for tests of these packages themselves. Programs that use them need it not: an operation does what it says wherever it
// is interrupted, and without these points more schedules are tried in which something is different for the program.
func Fine() Option { return func(c *config) { c.fine = true } }

// Races says whether the race detector, in a program that is built with -race, sees races between the tasks, which it does by default. Without it, as outside of
// steptest, tasks of one worker are ordered by the switches between them: for code that relies on that.
func Races(on bool) Option { return func(c *config) { c.races = on } }
