package lockstep_test

import (
	"context"
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
	const keys = 1000
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
	b.Run("batches", func(b *testing.B) {
		k := lockstep.NewKeyed[int](q)
		s := k.Batch()
		pipelined(b, 32, func(i int) { s.Go(i%keys, adds[i%keys]) }, func(i int, f func()) { k.Go(i, f) }, s.Send, (*sync.WaitGroup).Wait)
	})
	b.Run("batches, from a task", func(b *testing.B) {
		k := lockstep.NewKeyed[int](q)
		outsideTask(p, func() {
			s := k.Batch()
			pipelined(b, 32, func(i int) { s.Go(i%keys, adds[i%keys]) }, func(i int, f func()) { k.Go(i, f) }, s.Send, waitInTask)
		})
	})
	b.Run("batches, from a task of the only worker", func(b *testing.B) {
		benchInTask(b, func(p *lockstep.Pool) {
			k := keyed(p)
			s := k.Batch()
			for i := 0; b.Loop(); i++ {
				s.Go(i%keys, adds[i%keys])
				if i%1024 == 1023 {
					s.Send()
					lockstep.Yield()
				}
			}
		})
	})
	b.Run("one by one", func(b *testing.B) {
		k := lockstep.NewKeyed[int](q)
		pipelined(b, 32, func(i int) { k.Go(i%keys, adds[i%keys]) }, func(i int, f func()) { k.Go(i, f) }, nothing, (*sync.WaitGroup).Wait)
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
	b.Run("Do in a task of the only worker", func(b *testing.B) {
		benchInTask(b, func(p *lockstep.Pool) {
			k := keyed(p)
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

// pipelined calls add for each round of the benchmark, and bounds what is under way: every window operations it marks the ends of
// all lanes, and waits for the marks of the window before the last.
func pipelined(b *testing.B, marks int, add func(i int), mark func(i int, f func()), send func(), wait func(*sync.WaitGroup)) {
	const window = 1 << 13
	var ends [3]sync.WaitGroup
	round := 0
	end := func() {
		send()
		e := &ends[round%len(ends)]
		e.Add(marks)
		for i := range marks {
			mark(i, e.Done)
		}
		round++
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		add(i)
		if i%window == window-1 {
			end()
			wait(&ends[(round+1)%len(ends)])
		}
	}
	end()
	for i := range ends {
		wait(&ends[i])
	}
}

// waitInTask waits as a task has to whose worker has a part in what it waits for.
func waitInTask(wg *sync.WaitGroup) {
	var done atomic.Bool
	go func() { wg.Wait(); done.Store(true) }()
	for !done.Load() {
		lockstep.Yield()
	}
}

// An operation for the state of a worker, sent in batches and one by one, from an ordinary goroutine and from a task.
func BenchmarkSharded(b *testing.B) {
	p := workers(b, runtime.GOMAXPROCS(0))
	open := func(t testing.TB) *lockstep.Sharded[*int] {
		s, err := lockstep.NewSharded(p.TaskQueue(lockstep.DefaultQueue), func(int) *int { return new(int) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	inc := func(n *int) { *n++ }
	b.Run("batches", func(b *testing.B) {
		s := open(b)
		batch, n := s.Batch(), s.Shards()
		mark := func(i int, f func()) { s.Send(i, func(*int) { f() }) }
		pipelined(b, n, func(i int) { batch.To(i%n, inc) }, mark, batch.Send, (*sync.WaitGroup).Wait)
		_ = s.Close()
	})
	b.Run("batches, from a task to the other worker", func(b *testing.B) {
		s := open(b)
		outsideTask(p, func() {
			batch := s.Batch()
			other := 0
			for i := range s.Shards() {
				_ = s.Do(bg, i, func(context.Context, *int) error { return nil })
				other = i
			}
			mark := func(_ int, f func()) { s.Send(other, func(*int) { f() }) }
			pipelined(b, 1, func(int) { batch.To(other, inc) }, mark, batch.Send, waitInTask)
		})
		_ = s.Close()
	})
	b.Run("one by one", func(b *testing.B) {
		s := open(b)
		n := s.Shards()
		mark := func(i int, f func()) { s.Send(i, func(*int) { f() }) }
		pipelined(b, n, func(i int) { s.Send(i%n, inc) }, mark, nothing, (*sync.WaitGroup).Wait)
		_ = s.Close()
	})
	b.Run("Do on the own worker", func(b *testing.B) {
		benchInTask(b, func(p *lockstep.Pool) {
			s, err := lockstep.NewSharded(p.TaskQueue(lockstep.DefaultQueue), func(int) *int { return new(int) }, nil)
			if err != nil {
				b.Error(err)
				return
			}
			f := func(_ context.Context, n *int) error { *n++; return nil }
			for b.Loop() {
				_ = s.Do(bg, 0, f)
			}
			_ = s.Close()
		})
	})
}
