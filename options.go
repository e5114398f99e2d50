package lockstep

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/queue"
)

// Option configures a pool in [New]. New checks all options and returns all
// problems in one error.
type Option interface{ applyPool(*config) }

// QueueOption configures a task queue in [WithTaskQueue].
type QueueOption interface{ applyQueue(*queueConfig) }

// BlockOption configures one call of [BlockInPlace].
type BlockOption interface{ applyBlock(*bool) }

// SectionOption is valid for a pool, for a task queue and for one call; the nearest
// one wins. [WithBlockInPlace] makes it.
type SectionOption interface {
	Option
	QueueOption
	BlockOption
}

// Limits of options.
const (
	MinShares  = queue.MinShares
	MaxShares  = queue.MaxShares
	maxWorkers = 4096
	maxQueues  = 1024
	minQuantum = 10 * time.Microsecond
	maxQuantum = time.Second
	minLatency = 10 * time.Microsecond
	maxSpare   = 256
	minStall   = 100 * time.Microsecond
	maxStall   = time.Hour
)

// DefaultQueue is the name of the task queue that every pool has.
const DefaultQueue = "default"

type config struct {
	pool.Config
	problems []error
	queues   []queueConfig
	move     bool
	locked   bool
	set      map[string]bool
}

type queueConfig struct {
	name    string
	shares  int
	latency time.Duration
	move    *bool
	set     map[string]bool
	c       *config
}

type poolOption func(*config)

func (f poolOption) applyPool(c *config) { f(c) }

type queueOption func(*queueConfig)

func (f queueOption) applyQueue(q *queueConfig) { f(q) }

// WithWorkers sets the number of workers, 1 to 4096. Default: GOMAXPROCS, and the
// pool follows it when it changes.
func WithWorkers(n int) Option {
	return poolOption(func(c *config) {
		c.once("WithWorkers")
		c.inRange("WithWorkers", n, 1, maxWorkers)
		c.Workers = n
	})
}

// WithTaskQueue declares a task queue. A pool always has one named "default", with
// 100 shares; declaring that name configures it. At most 1024 queues.
func WithTaskQueue(name string, opts ...QueueOption) Option {
	return poolOption(func(c *config) {
		q := queueConfig{name: name, shares: queue.DefaultShares, set: map[string]bool{}, c: c}
		if name == "" {
			c.problem("WithTaskQueue: the name is empty")
		}
		for _, other := range c.queues {
			if other.name == name {
				c.problem("WithTaskQueue: queue %q is declared twice", name)
			}
		}
		for _, o := range opts {
			if o == nil {
				c.problem("WithTaskQueue(%q): an option is nil", name)
				continue
			}
			o.applyQueue(&q)
		}
		c.queues = append(c.queues, q)
	})
}

// WithShares sets a task queue's weight, 1 to 1,048,576; default 100. Among queues with
// ready tasks on a worker, CPU time is proportional to shares.
func WithShares(n int) QueueOption {
	return queueOption(func(q *queueConfig) {
		q.once("WithShares")
		q.c.inRange(fmt.Sprintf("WithTaskQueue(%q): WithShares", q.name), n, MinShares, MaxShares)
		q.shares = n
	})
}

// WithLatency gives a task queue a latency goal, 10 µs to 1 s: its ready
// tasks start within about d, as far as its shares allow and the running tasks call
// [YieldIfNeeded]. Default: none.
func WithLatency(d time.Duration) QueueOption {
	return queueOption(func(q *queueConfig) {
		q.once("WithLatency")
		if d < minLatency || d > maxQuantum {
			q.c.problem("WithTaskQueue(%q): WithLatency(%v) is not between %v and %v", q.name, d, minLatency, maxQuantum)
		}
		q.latency = d
	})
}

// WithBlockInPlace says where [BlockInPlace] runs its function: true on the
// overflow pool, false in place. It is valid for a pool, a task queue and a call, and
// the nearest one wins. Default: false.
func WithBlockInPlace(move bool) SectionOption { return sectionOption(move) }

type sectionOption bool

func (o sectionOption) applyPool(c *config) {
	c.once("WithBlockInPlace")
	c.move = bool(o)
}

func (o sectionOption) applyQueue(q *queueConfig) {
	q.once("WithBlockInPlace")
	move := bool(o)
	q.move = &move
}

func (o sectionOption) applyBlock(move *bool) { *move = bool(o) }

// WithQuantum sets how long a task queue runs before it should give way, 10 µs
// to 1 s; default 1 ms. Latency goals shorten it.
func WithQuantum(d time.Duration) Option {
	return poolOption(func(c *config) {
		c.once("WithQuantum")
		if d < minQuantum || d > maxQuantum {
			c.problem("WithQuantum(%v) is not between %v and %v", d, minQuantum, maxQuantum)
		}
		c.Quantum = d
	})
}

// WithCapacity bounds the tasks that are accepted and have not started, 1 or
// more; default: unbounded. When it is reached Go waits (a task parks, a
// goroutine blocks), TryGo returns false and Submit waits with its context.
func WithCapacity(n int) Option {
	return poolOption(func(c *config) {
		c.once("WithCapacity")
		c.inRange("WithCapacity", n, 1, math.MaxInt)
		c.Capacity = n
	})
}

// WithSpareProcs raises GOMAXPROCS by n, 1 to 256, while the pool lives; default: not at all.
//
// A busy worker holds one of Go's Ps. When every P is held, all other goroutines of
// the program (network, timers, callers) wait for the 10 ms time slices of Go's
// scheduler. While the pool is used from outside, workers lend their Ps in between, about once a
// millisecond, which helps timers and callers; the network is still looked at every 10 ms only. One more P than workers brings that down to well below a
// millisecond. GOMAXPROCS is the program's, so this must be asked for. All pools of
// the process share one owner of the setting: the most that any of them asked for counts,
// a limit of the cgroup is followed, and the last Close restores what
// was. If the program itself calls runtime.GOMAXPROCS meanwhile, its word holds.
func WithSpareProcs(n int) Option {
	return poolOption(func(c *config) {
		c.once("WithSpareProcs")
		c.inRange("WithSpareProcs", n, 1, maxSpare)
		c.SpareProcs = n
	})
}

// WithThreadInit calls f on each worker's thread before its first task, for affinity, thread
// names or state of C libraries, and what f returns, if not nil, when the worker
// ends. Workers are numbered from 0. A thread that f has prepared ends with
// its worker. Not together with WithLockOSThread(false).
func WithThreadInit(f func(worker int) (cleanup func())) Option {
	return poolOption(func(c *config) {
		c.once("WithThreadInit")
		if f == nil {
			c.problem("WithThreadInit: the function is nil")
		}
		c.ThreadInit = f
	})
}

// WithLockOSThread says whether each worker has a thread of its own; default true.
// False makes workers ordinary goroutines: a wake from outside costs less, and nothing is
// said about threads.
func WithLockOSThread(locked bool) Option {
	return poolOption(func(c *config) {
		c.once("WithLockOSThread")
		c.locked = locked
	})
}

// WithPanicHandler calls f with the panic of a task, which otherwise crashes the process
// as in a go statement. f runs on the task's stack; a panic of f crashes
// the process. The task counts as ended, and Wait of its handle or group returns
// the same *PanicError. [Pool.Run] is a call and not affected: it panics in its caller.
func WithPanicHandler(f func(*PanicError)) Option {
	return poolOption(func(c *config) {
		c.once("WithPanicHandler")
		if f == nil {
			c.problem("WithPanicHandler: the function is nil")
		}
		c.PanicHandler = f
	})
}

// WithLogger sets where the pool reports rare events; default: nowhere.
func WithLogger(l *slog.Logger) Option {
	return poolOption(func(c *config) {
		c.once("WithLogger")
		if l == nil {
			c.problem("WithLogger: the logger is nil")
			return
		}
		c.Logger, c.Quiet = l, false
	})
}

// WithStallThreshold sets how long a task may hold its worker, by blocking its thread or by
// computing without a yield, before a helper runs what is behind it and the stall is
// reported; 100 µs to 1 h, default 10 ms, the time slice of Go's scheduler.
func WithStallThreshold(d time.Duration) Option {
	return poolOption(func(c *config) {
		c.once("WithStallThreshold")
		if d < minStall || d > maxStall {
			c.problem("WithStallThreshold(%v) is not between %v and %v", d, minStall, maxStall)
		}
		c.StallThreshold = d
	})
}

// WithStallHandler calls f with reports of stalls, beside the logger: at most five at once and
// one every 12 seconds. f runs on the pool's monitor and must return soon. Which places are the worst, reported or not, stands
// in [RescueStats].
func WithStallHandler(f func(StallReport)) Option {
	return poolOption(func(c *config) {
		c.once("WithStallHandler")
		if f == nil {
			c.problem("WithStallHandler: the function is nil")
		}
		c.StallHandler = f
	})
}

// WithMaxThreads bounds the threads that stand in for workers held by their tasks, beside
// the workers' own; 0 to 100,000, default 1024. At the bound, what is behind a held worker
// waits for it, and the pool says so in its log and its statistics. Go itself ends a process with
// more than 10,000 threads, unless debug.SetMaxThreads allows more.
func WithMaxThreads(n int) Option {
	return poolOption(func(c *config) {
		c.once("WithMaxThreads")
		c.inRange("WithMaxThreads", n, 0, 100_000)
		c.Helpers = n
	})
}

// WithOverflow sets how many sections moved by [BlockInPlace] may run at once, 1 to
// 1,000,000; default 256. Further ones wait in a queue.
func WithOverflow(n int) Option {
	return poolOption(func(c *config) {
		c.once("WithOverflow")
		c.inRange("WithOverflow", n, 1, 1_000_000)
		c.Overflow = n
	})
}

const defaultOverflow = 256

// configure applies and checks options.
func configure(opts []Option) (pool.Config, error) {
	c := &config{locked: true, set: map[string]bool{}, Config: pool.Config{
		Quantum: pool.DefaultQuantum, Logger: slog.New(slog.DiscardHandler), Overflow: defaultOverflow,
		StallThreshold: pool.DefaultStallThreshold, Helpers: pool.DefaultHelpers, Quiet: true,
	}}
	for i, o := range opts {
		if o == nil {
			c.problem("option %d is nil", i+1)
			continue
		}
		o.applyPool(c)
	}
	c.Floating = !c.locked
	if c.Floating && c.ThreadInit != nil {
		c.problem("WithThreadInit needs workers with threads of their own, and WithLockOSThread(false) takes them away")
	}
	if len(c.queues) > maxQueues {
		c.problem("%d task queues are declared, at most %d are possible", len(c.queues), maxQueues)
	}
	c.Queues = []pool.QueueConfig{{Name: DefaultQueue, Shares: queue.DefaultShares, Move: c.move}}
	for _, q := range c.queues {
		pq := pool.QueueConfig{Name: q.name, Shares: q.shares, Latency: q.latency, Move: c.move}
		if q.move != nil {
			pq.Move = *q.move
		}
		if q.name == DefaultQueue {
			c.Queues[0] = pq
		} else {
			c.Queues = append(c.Queues, pq)
		}
	}
	return c.Config, errors.Join(c.problems...)
}

func (c *config) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("lockstep: "+format, args...))
}

func (c *config) inRange(what string, n, low, high int) {
	if n < low || n > high {
		c.problem("%s(%d) is not between %d and %d", what, n, low, high)
	}
}

// once refuses an option given twice: which of two numbers was meant?
func (c *config) once(option string) {
	if c.set[option] {
		c.problem("%s is given twice", option)
	}
	c.set[option] = true
}

func (q *queueConfig) once(option string) {
	if q.set[option] {
		q.c.problem("WithTaskQueue(%q): %s is given twice", q.name, option)
	}
	q.set[option] = true
}
