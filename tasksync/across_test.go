package tasksync_test

//lint:file-ignore SA2001 that a lock is got, or at what cost, is what counts

import (
	"sync"
	"testing"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Who has to be woken elsewhere may be overtaken, but not for ever: neither by tasks or goroutines that never give way.
func TestNobodyStarvesAtAMutex(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		for _, oneIsTask := range []bool{false, true} {
			var m tasksync.Mutex
			var stop atomic.Bool
			hammer := func() {
				for !stop.Load() {
					m.Lock()
					m.Unlock()
				}
			}
			one := func() {
				for range 20 {
					m.Lock()
					m.Unlock()
				}
				stop.Store(true)
			}
			var ends sync.WaitGroup
			if oneIsTask {
				ends.Go(hammer)
				ends.Add(1)
				p.Go(func() { defer ends.Done(); one() })
			} else {
				ends.Add(1)
				p.Go(func() { defer ends.Done(); hammer() })
				ends.Go(one)
			}
			ends.Wait()
		}
	})
}

// Who is woken to try for a lock, and finds it taken, is the next to get it: before those who came later, and also if the lock is
// never found free.
func TestWokenInVainIsNext(t *testing.T) {
	p := mixed(t, 1, true)
	var m tasksync.Mutex
	m.Lock()
	var order []string
	var ends sync.WaitGroup
	ends.Add(2)
	inTask(p, func() {
		p.Go(func() { defer ends.Done(); m.Lock(); order = append(order, "first"); m.Unlock() })
		p.Go(func() { defer ends.Done(); m.Lock(); order = append(order, "second"); m.Unlock() })
		lockstep.Yield() // both wait
		back := make(chan bool)
		go func() {
			m.Unlock() // wakes the first, whose worker is in this task
			back <- m.TryLock()
		}()
		if !<-back {
			t.Error("not free")
		}
		lockstep.Yield() // the first finds it taken
		if m.TryLock() {
			t.Error("free")
		}
		go func() {
			m.Unlock() // hands it over
			back <- m.TryLock()
		}()
		if <-back {
			t.Error("overtaken twice")
		}
	})
	ends.Wait()
	if len(order) != 2 || order[0] != "first" {
		t.Error(order)
	}
}

// On one worker it is handed over, also past somebody elsewhere who has been woken and does not come.
func TestHandedOverOnAWorker(t *testing.T) {
	p, elsewhere := mixed(t, 1, true), mixed(t, 1, true)
	var m tasksync.Mutex
	var ends sync.WaitGroup
	ends.Add(3)
	last := make(chan struct{})
	inTask(p, func() {
		m.Lock()
		p.Go(func() { defer ends.Done(); m.Lock(); m.Unlock() })
		lockstep.Yield() // it waits
		m.Unlock()
		if m.TryLock() {
			t.Error("not handed over")
		}
		lockstep.Yield()
		if !m.TryLock() {
			t.Error("not unlocked")
		}
		gate, busy := make(chan struct{}), make(chan struct{})
		defer close(gate)
		elsewhere.Go(func() { defer ends.Done(); m.Lock(); m.Unlock(); close(last) })
		elsewhere.Go(func() { close(busy); <-gate }) // its worker has the other one parked, and cannot run it
		<-busy
		p.Go(func() { defer ends.Done(); m.Lock(); m.Unlock() })
		lockstep.Yield()
		m.Unlock() // wakes the one elsewhere
		if !m.TryLock() {
			t.Error("handed over to somebody elsewhere")
		}
		m.Unlock()
		if m.TryLock() {
			t.Error("not handed over past the one who does not come")
		}
		lockstep.Yield()
		if !m.TryLock() {
			t.Error("not unlocked again")
		}
		m.Unlock()
	})
	<-last
	ends.Wait()
}

// BenchmarkAcross is eight tasks of two workers, or goroutines, that count under a lock and do something else for half a
// microsecond.
func BenchmarkAcross(b *testing.B) {
	run := func(name string, l sync.Locker, locked, tasks bool) {
		b.Run(name, func(b *testing.B) {
			p := mixed(b, 2, locked)
			b.ReportAllocs()
			var ends sync.WaitGroup
			count := 0
			b.ResetTimer()
			for range 8 {
				one := func() {
					defer ends.Done()
					x := uint64(0)
					for range b.N/8 + 1 {
						l.Lock()
						count++
						l.Unlock()
						for k := range uint64(500) {
							x = x*31 + k
						}
					}
					sink.Store(x)
				}
				ends.Add(1)
				if tasks {
					p.Go(one)
				} else {
					go one()
				}
			}
			ends.Wait()
		})
	}
	for _, locked := range []bool{true, false} {
		name := map[bool]string{true: "locked/", false: "floating/"}[locked]
		run(name+"Mutex", new(tasksync.Mutex), locked, true)
		run(name+"RWMutex", new(tasksync.RWMutex), locked, true)
		run(name+"sync.Mutex", new(sync.Mutex), locked, true)
	}
	run("goroutines/Mutex", new(tasksync.Mutex), true, false)
	run("goroutines/sync.Mutex", new(sync.Mutex), true, false)
}

var sink atomic.Uint64
