package steptest_test

import (
	"context"
	"math/rand/v2"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// cell is a shared variable whose loads and stores are points.
type cell struct{ v int }

func (c *cell) load() int {
	pool.Point(pool.OpRead, c)
	return c.v
}

func (c *cell) store(v int) {
	pool.Point(pool.OpWrite, c)
	c.v = v
}

// work is n steps that have to do with nobody else.
func work(n int) {
	for range n {
		pool.Point(pool.OpPoint, nil)
	}
}

func locked(mu *tasksync.Mutex, f func()) {
	mu.Lock()
	f()
	mu.Unlock()
}

// together runs the functions as tasks, and waits for them.
func together(tasks ...func()) {
	var wg tasksync.WaitGroup
	wg.Add(len(tasks))
	for _, f := range tasks {
		lockstep.Go(func() {
			f()
			wg.Done()
		})
	}
	wg.Wait()
}

func repeated(n int, f func(), more ...func()) []func() {
	var all []func()
	for range n {
		all = append(all, f)
	}
	return append(all, more...)
}

// kernel is a small program with a fault: it calls bad, panics or never ends, in some schedules.
type kernel struct {
	name string
	body func(bad func())
}

var kernels = []kernel{
	{"lost update 2x1", lostUpdate(1)},
	{"lost update 2x10", lostUpdate(10)},
	{"AB-BA", abba(0)},
	{"AB-BA after 20", abba(20)},
	{"philosophers 3", philosophers(3)},
	{"philosophers 5", philosophers(5)},
	{"philosophers 8", philosophers(8)},
	{"buffer 2p 1c", buffer(2, 1)},
	{"buffer 2p 2c", buffer(2, 2)},
	{"reorder 3", reorder(3)},
	{"reorder 10", reorder(10)},
	{"twostage 10", twostage(10)},
	{"bluetooth", bluetooth},
	{"late store", lateStore(25)},
	{"lock and channel", lockAndChannel},
	{"double close", doubleClose},
}

func lostUpdate(n int) func(bad func()) {
	return func(bad func()) {
		var c cell
		add := func() {
			for range n {
				c.store(c.load() + 1)
			}
		}
		together(add, add)
		if c.v != 2*n {
			bad()
		}
	}
}

func abba(first int) func(bad func()) {
	return func(func()) {
		var a, b tasksync.Mutex
		both := func(x, y *tasksync.Mutex) {
			x.Lock()
			locked(y, func() {})
			x.Unlock()
		}
		together(
			func() { work(first); both(&a, &b) },
			func() { both(&b, &a) },
		)
	}
}

func philosophers(n int) func(bad func()) {
	return func(func()) {
		forks := make([]tasksync.Mutex, n)
		var all []func()
		for i := range n {
			all = append(all, func() {
				forks[i].Lock()
				locked(&forks[(i+1)%n], func() {})
				forks[i].Unlock()
			})
		}
		together(all...)
	}
}

// buffer is Cargill's: one slot, and one condition for both sides, of whom Signal may wake the wrong one.
func buffer(producers, consumers int) func(bad func()) {
	return func(func()) {
		var mu tasksync.Mutex
		c := tasksync.NewCond(&mu)
		full := false
		change := func(to bool, turns int) func() {
			return func() {
				for range turns {
					mu.Lock()
					for full == to {
						c.Wait()
					}
					full = to
					c.Signal()
					mu.Unlock()
				}
			}
		}
		together(append(repeated(producers, change(true, 2*consumers)), repeated(consumers, change(false, 2*producers))...)...)
	}
}

// reorder is that of SCTBench: somebody sees the first of two stores but not the second, of any of the tasks that make them.
func reorder(n int) func(bad func()) {
	return func(bad func()) {
		var a, b cell
		set := func() {
			a.store(1)
			b.store(-1)
		}
		check := func() {
			if !(a.load() == 0 && b.load() == 0 || a.load() == 1 && b.load() == -1) {
				bad()
			}
		}
		together(repeated(n-1, set, check)...)
	}
}

// twostage is that of SCTBench: the same with locks.
func twostage(n int) func(bad func()) {
	return func(bad func()) {
		var first, second tasksync.Mutex
		one, two := 0, 0
		set := func() {
			first.Lock()
			one = 1
			first.Unlock()
			second.Lock()
			two = one + 1
			second.Unlock()
		}
		check := func() {
			first.Lock()
			x := one
			first.Unlock()
			if x == 0 {
				return
			}
			second.Lock()
			if two != x+1 {
				bad()
			}
			second.Unlock()
		}
		together(repeated(n-1, set, check)...)
	}
}

// bluetooth is the driver of the KISS paper (Qadeer and Wu, PLDI 2004): a request that has looked whether the driver stops is
// counted only after it has stopped.
func bluetooth(bad func()) {
	pending, stopping, stopped := cell{1}, cell{}, cell{}
	done := chans.New[int](1)
	down := func() {
		pool.Point(pool.OpUpdate, &pending)
		if pending.v--; pending.v == 0 {
			_ = done.Put(1)
		}
	}
	together(
		func() {
			if stopping.load() != 0 {
				return
			}
			pool.Point(pool.OpUpdate, &pending)
			pending.v++
			if stopped.load() != 0 {
				bad()
			}
			down()
		},
		func() {
			stopping.store(1)
			down()
			_, _ = done.Get()
			stopped.store(1)
		},
	)
}

// lateStore is wrong if a single store comes after n steps of another task.
func lateStore(n int) func(bad func()) {
	return func(bad func()) {
		var c cell
		together(
			func() { c.store(1) },
			func() {
				work(n)
				if c.load() == 0 {
					bad()
				}
			},
		)
	}
}

// lockAndChannel has the shape of a fault in Kubernetes (10182): who receives takes a lock, and who sends has it.
func lockAndChannel(func()) {
	var mu tasksync.Mutex
	c := chans.New[int](0)
	send := func() {
		mu.Lock()
		_ = c.Send(context.Background(), 1)
		mu.Unlock()
	}
	together(func() {
		for range 2 {
			_, _ = c.Receive(context.Background())
			locked(&mu, func() {})
		}
	}, send, send)
}

func doubleClose(bad func()) {
	var closed cell
	closes := 0
	shut := func() {
		if closed.load() != 0 {
			return
		}
		if closes++; closes > 1 {
			bad()
		}
		closed.store(1)
	}
	together(shut, shut)
}

// bench runs programs under strategies.
type bench struct {
	d   *pool.Stepper
	pcg rand.PCG
}

func newBench() *bench {
	b := &bench{d: pool.NewStepper(nil)}
	b.d.Switches = true // cells stand for atomics too
	b.d.MaxSteps = 5000
	return b
}

func (b *bench) close() { b.d.Close() }

// run runs body once, and reports whether it has failed.
func (b *bench) run(s pool.Chooser, body func(bad func())) bool {
	b.d.SetChooser(s)
	bad := false
	stop := b.d.Run(func() { body(func() { bad = true }) })
	return bad || stop != pool.StopDone
}

func (b *bench) end() {
	if !b.d.End() {
		b.d.Discard(0)
	}
}

// first runs body under the fair strategy, and returns what is then known of it.
func (b *bench) first(body func(bad func())) (p steptest.Program, failed bool) {
	s, program := steptest.Survey(steptest.Abreast())
	b.pcg.Seed(0, 0)
	s.Begin(&steptest.Schedule{Rand: rand.New(&b.pcg)})
	failed = b.run(s, body)
	p = program(b.d.Tasks())
	b.end()
	return p, failed
}

// find returns how many schedules it takes to find the fault, at most most+1.
func (b *bench) find(s steptest.Strategy, p steptest.Program, seed uint64, most int, body func(bad func())) int {
	r := rand.New(&b.pcg)
	for i := range most {
		b.pcg.Seed(seed, uint64(i))
		if !s.Begin(&steptest.Schedule{Index: i, Rand: r, Program: p}) {
			return most + 1
		}
		failed := b.run(s, body)
		b.end()
		s.End()
		if failed {
			return i + 1
		}
	}
	return most + 1
}
