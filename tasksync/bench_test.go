package tasksync_test

//lint:file-ignore SA2001 that a lock is got, or at what cost, is what counts

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

func BenchmarkUncontended(b *testing.B) {
	in := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			inTask(mixed(b, 1, true), func() {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		})
	}
	var m tasksync.Mutex
	var n sync.Mutex
	var rw tasksync.RWMutex
	var nrw sync.RWMutex
	s := tasksync.NewSemaphore(4)
	var o tasksync.Once
	var g tasksync.WaitGroup
	in("Mutex", func() { m.Lock(); m.Unlock() })
	in("sync.Mutex", func() { n.Lock(); n.Unlock() })
	in("Mutex/context", func() { _ = m.LockContext(bg); m.Unlock() })
	in("RWMutex", func() { rw.Lock(); rw.Unlock() })
	in("sync.RWMutex", func() { nrw.Lock(); nrw.Unlock() })
	in("RWMutex/read", func() { rw.RLock(); rw.RUnlock() })
	in("sync.RWMutex/read", func() { nrw.RLock(); nrw.RUnlock() })
	in("Semaphore", func() { _ = s.Acquire(bg, 1); s.Release(1) })
	in("Once", func() { o.Do(func() {}) })
	in("WaitGroup", func() { g.Add(1); g.Done() })
}

// BenchmarkContended is eight tasks of one worker, or goroutines on one P, that take a lock, give way while they have it, and give it
// back: every lock waits.
func BenchmarkContended(b *testing.B) {
	const crowd = 8
	rounds := func(n int, lock, yield, unlock func()) func() {
		return func() {
			for range n/crowd + 1 {
				lock()
				yield()
				unlock()
			}
		}
	}
	tasks := func(name string, lock, unlock func()) {
		b.Run(name, func(b *testing.B) {
			p := mixed(b, 1, true)
			b.ReportAllocs()
			_ = p.Run(bg, func(context.Context) error {
				var all tasksync.WaitGroup
				for range crowd {
					all.Go(rounds(b.N, lock, lockstep.Yield, unlock))
				}
				all.Wait()
				return nil
			})
		})
	}
	native := func(name string, lock, unlock func()) {
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			b.ReportAllocs()
			var all sync.WaitGroup
			for range crowd {
				all.Go(rounds(b.N, lock, runtime.Gosched, unlock))
			}
			all.Wait()
		})
	}
	var m tasksync.Mutex
	var n sync.Mutex
	var rw tasksync.RWMutex
	var nrw sync.RWMutex
	s := tasksync.NewSemaphore(1)
	tasks("nothing", func() {}, func() {}) // the switch alone
	tasks("Mutex", m.Lock, m.Unlock)
	native("nothing/goroutines", func() {}, func() {})
	native("sync.Mutex", n.Lock, n.Unlock)
	tasks("RWMutex", rw.Lock, rw.Unlock)
	native("sync.RWMutex", nrw.Lock, nrw.Unlock)
	tasks("Semaphore", func() { _ = s.Acquire(bg, 1) }, func() { s.Release(1) })
}
