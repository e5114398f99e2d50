package queue_test

import (
	"iter"
	"time"

	"github.com/lockstep-go/lockstep/queue"
)

// task is a function that the virtual worker runs, with the calls that a real
// task has. Each call does with the Sched what package pool does.
type task struct {
	w    *worker
	lane *lane
	name string
	body func(*task)
	fn   func() // what a run queue holds

	next  func() (struct{}, bool)
	stop  func()
	pause func(struct{}) bool

	ran              uint64 // tick of its last run
	parked, notified bool
	done             bool

	runs, alone int
	used        time.Duration
	ticks       []uint64 // of every run, if the worker keeps them
	why         string   // how the last run ended
}

// ended unwinds a task when the simulation is over.
type ended struct{}

// spawn makes a task that has not started.
func (l *lane) spawn(name string, body func(*task)) *task {
	k := &task{w: l.w, lane: l, name: name, body: body}
	k.fn = func() { l.w.resume(k) }
	l.w.tasks = append(l.w.tasks, k)
	l.w.s.Push(l.Queue, queue.Task{Fn: k.fn, Site: 1})
	return k
}

func (k *task) start() {
	k.next, k.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if v := recover(); v == any(ended{}) {
				k.why = "end"
			} else if v != nil {
				panic(v)
			}
		}()
		k.pause = yield
		k.body(k)
		k.why, k.done = "done", true
	})
}

func (k *task) ready() queue.Task { return queue.Task{Fn: k.fn} }

func (k *task) giveWay(why string) {
	k.why = why
	if !k.pause(struct{}{}) {
		panic(ended{})
	}
}

// pass moves the clock, and lets happen what is due. A task does not outlive the
// simulation.
func (k *task) pass(d time.Duration) {
	k.w.now += d
	if k.w.now >= k.w.until {
		panic(ended{})
	}
	k.w.fireTimers()
}

// work uses the CPU without looking up.
func (k *task) work(d time.Duration) { k.w.now += d }

func (k *task) yield() {
	k.pass(k.w.entry)
	s, now := k.w.s, int64(k.w.now)
	over := s.Over(now)
	if s.Idle() {
		if over {
			k.w.renew()
		}
		k.alone++
		return
	}
	s.Yielded()
	if s.Ready(k.lane.Queue, k.ready(), k.ran, over) {
		k.giveWay("yield, set aside")
	} else {
		k.giveWay("yield")
	}
}

func (k *task) yieldIfNeeded() {
	k.pass(0)
	s, now := k.w.s, int64(k.w.now)
	switch {
	case !s.Over(now):
	case s.Idle():
		k.w.renew()
	default:
		s.Ready(k.lane.Queue, k.ready(), k.ran, true)
		k.giveWay("preempted")
	}
}

// park waits for a wake. One that came first is not lost.
func (k *task) park() {
	k.pass(0)
	if k.notified {
		k.notified = false
		return
	}
	k.parked = true
	k.giveWay("park")
}

// wake makes a parked task ready from inside: the caller is the task that runs.
func (k *task) wake(u *task) {
	k.pass(k.w.entry)
	if u.unpark() {
		u.w.s.Ready(u.lane.Queue, u.ready(), u.ran, false)
	}
}

// wakeOutside makes a parked task ready from outside, as a timer does.
func (k *task) wakeOutside() {
	if k.unpark() {
		k.w.s.Push(k.lane.Queue, k.ready())
	}
}

func (k *task) unpark() bool {
	if !k.parked {
		k.notified = !k.done
		return false
	}
	k.parked = false
	return true
}

func (k *task) sleep(d time.Duration) {
	k.w.at(k.w.now+d, k.wakeOutside)
	k.park()
}

// busy works for ever and gives way when its quantum is over.
func busy(step time.Duration) func(*task) {
	return func(k *task) {
		for {
			k.work(step)
			k.yieldIfNeeded()
		}
	}
}

// spin works and yields for ever.
func spin(step time.Duration) func(*task) {
	return func(k *task) {
		for {
			k.work(step)
			k.yield()
		}
	}
}

// circle spawns n tasks that hand one token round: who has it works, wakes the next one
// and waits. With yields each also yields before it waits.
func (l *lane) circle(n int, step time.Duration, yields bool) []*task {
	ring := make([]*task, n)
	for i := range ring {
		ring[i] = l.spawn(string(rune('A'+i)), func(k *task) {
			if i > 0 {
				k.park()
			}
			for {
				k.work(step)
				k.wake(ring[(i+1)%n])
				if yields {
					k.yield()
				}
				k.park()
			}
		})
	}
	return ring
}
