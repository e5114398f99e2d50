package lockstep_test

import (
	"runtime"
	"sync"
	"testing"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// An operation for one of 1000 keys, which adds to the key's number: sent in batches and one by one, from an ordinary
// goroutine; beside what one does without it, a lock for each key, and a goroutine with a channel for each part of the keys.
// What is under way is bounded, as it has to be in a program.
func BenchmarkKeyed(b *testing.B) {
	const keys, outstanding = 1000, 1 << 13
	type counter struct {
		mu sync.Mutex
		n  int
	}
	counters := make([]counter, keys)
	adds := make([]func(), keys)
	for i := range adds {
		adds[i] = func() { counters[i].n++ }
	}
	p := workers(b, runtime.GOMAXPROCS(0))
	q := p.TaskQueue(lockstep.DefaultQueue)
	flush := func(k *lockstep.Keyed[int]) {
		var wg sync.WaitGroup
		wg.Add(32) // so many keys are of all workers, and come after what was sent before
		for i := range 32 {
			k.Go(i, wg.Done)
		}
		wg.Wait()
	}
	flushInTask := func(k *lockstep.Keyed[int]) {
		for i := range 32 {
			_ = k.Do(bg, i, noError)
		}
	}
	b.Run("batches", func(b *testing.B) {
		k := lockstep.NewKeyed[int](q)
		s := k.Batch()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			s.Go(i%keys, adds[i%keys])
			if i%outstanding == outstanding-1 {
				s.Send()
				flush(k)
			}
		}
		s.Send()
		flush(k)
	})
	b.Run("batches, from a task", func(b *testing.B) {
		k := lockstep.NewKeyed[int](q)
		b.ReportAllocs()
		outsideTask(p, func() {
			s := k.Batch()
			for i := 0; b.Loop(); i++ {
				s.Go(i%keys, adds[i%keys])
				if i%outstanding == outstanding-1 {
					s.Send()
					flushInTask(k)
				}
			}
			s.Send()
		})
		flush(k)
	})
	b.Run("one by one", func(b *testing.B) {
		k := lockstep.NewKeyed[int](q)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			k.Go(i%keys, adds[i%keys])
			if i%outstanding == outstanding-1 {
				flush(k)
			}
		}
		flush(k)
	})
	b.Run("Do in a task", func(b *testing.B) {
		k := lockstep.NewKeyed[int](q)
		b.ReportAllocs()
		outsideTask(p, func() {
			for i := 0; b.Loop(); i++ {
				_ = k.Do(bg, i%keys, noError)
			}
		})
	})
	b.Run("task with a lock for each", func(b *testing.B) {
		b.ReportAllocs()
		var ran atomic.Int64
		n := int64(0)
		for i := 0; b.Loop(); i++ {
			p.Go(func() {
				c := &counters[i%keys]
				c.mu.Lock()
				c.n++
				c.mu.Unlock()
				ran.Inc()
			})
			n++
		}
		until(func() bool { return ran.Load() == n })
	})
	b.Run("channel of a goroutine", func(b *testing.B) {
		var wg sync.WaitGroup
		parts := make([]chan func(), runtime.GOMAXPROCS(0))
		for i := range parts {
			parts[i] = make(chan func(), 1024)
			wg.Go(func() {
				for f := range parts[i] {
					f()
				}
			})
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			parts[i%len(parts)] <- adds[i%keys]
		}
		for _, c := range parts {
			close(c)
		}
		wg.Wait()
	})
}
