package chans_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// side is one of several ways to do n times the same thing. It returns when that is done.
type side struct {
	name string
	do   func(n int)
}

// compare runs the sides in turns, in one process and in short rounds, so that what else
// happens on the machine meets them all, and reports the median of each, in ns, and of the
// ratio of each to the first.
func compare(b *testing.B, sides ...side) {
	b.Helper()
	compareRounds(b, 20_000, sides...)
}

func compareRounds(b *testing.B, round int, sides ...side) {
	b.Helper()
	b.ReportAllocs()
	times := make([][]float64, len(sides))
	ratios := make([][]float64, len(sides))
	for _, s := range sides {
		s.do(round)
	}
	for b.Loop() {
		for i, s := range sides {
			begin := time.Now()
			s.do(round)
			times[i] = append(times[i], float64(time.Since(begin).Nanoseconds())/float64(round))
			ratios[i] = append(ratios[i], times[i][len(times[i])-1]/times[0][len(times[0])-1])
		}
	}
	for i, s := range sides {
		b.ReportMetric(median(times[i]), s.name+"-ns")
		if i > 0 {
			b.ReportMetric(median(ratios[i]), s.name+"-ratio")
		}
	}
	b.ReportMetric(0, "ns/op")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// goroutines runs the functions as goroutines and waits for them.
func goroutines(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

// tasks runs the functions as tasks that a task of p starts, on its own worker as long as
// no other is idle.
func tasks(p *lockstep.Pool, fs ...func()) {
	_ = p.Run(bg, func(context.Context) error {
		var g lockstep.Group
		for _, f := range fs {
			g.Go(func() error { f(); return nil })
		}
		return g.Wait()
	})
}

func nativePair(capacity int) side {
	return side{"native", func(n int) {
		c := make(chan int, capacity)
		goroutines(func() {
			for i := range n {
				c <- i
			}
		}, func() {
			for range n {
				<-c
			}
		})
	}}
}

func putter(c *chans.Chan[int], n int) func() {
	return func() {
		for i := range n {
			_ = c.Put(i)
		}
	}
}

func getter(c *chans.Chan[int], n int) func() {
	return func() {
		for range n {
			c.Get()
		}
	}
}

// One task sends and receives in turn: nobody ever waits.
func BenchmarkUncontended(b *testing.B) {
	p := workers(b, 1)
	native, c, u := make(chan int, 1024), chans.New[int](1024), chans.Unbounded[int]()
	compare(b, side{"native", func(n int) {
		for i := range n {
			native <- i
			<-native
		}
	}}, side{"chan", func(n int) {
		inTask(p, func() {
			for i := range n {
				_ = c.Put(i)
				c.Get()
			}
		})
	}}, side{"context", func(n int) {
		inTask(p, func() {
			for i := range n {
				_ = c.Send(bg, i)
				_, _ = c.Receive(bg)
			}
		})
	}}, side{"unbounded", func(n int) {
		inTask(p, func() {
			for i := range n {
				_ = u.Put(i)
				u.Get()
			}
		})
	}})
}

// Two tasks of one worker. With a small capacity each message is handed over by a switch.
func BenchmarkOneWorker(b *testing.B) {
	for _, capacity := range []int{0, 1, 1024} {
		b.Run(fmt.Sprint("cap=", capacity), func(b *testing.B) {
			p := workers(b, 1)
			compare(b, nativePair(capacity), side{"chan", func(n int) {
				c := chans.New[int](capacity)
				tasks(p, putter(c, n), getter(c, n))
			}})
		})
	}
}

// A task on each of two workers.
func BenchmarkTwoWorkers(b *testing.B) {
	for _, locked := range []bool{true, false} {
		for _, capacity := range []int{0, 1, 1024} {
			b.Run(fmt.Sprintf("locked=%v/cap=%d", locked, capacity), func(b *testing.B) {
				p, q := mixed(b, 1, locked), mixed(b, 1, locked)
				compareRounds(b, 100_000, nativePair(capacity), side{"chan", func(n int) {
					c := chans.New[int](capacity)
					done := make(chan struct{}, 2)
					p.Go(func() { putter(c, n)(); done <- struct{}{} })
					q.Go(func() { getter(c, n)(); done <- struct{}{} })
					<-done
					<-done
				}})
			})
		}
	}
}

// Goroutines at both ends, as a measure of what the channel itself costs.
func BenchmarkGoroutines(b *testing.B) {
	for _, capacity := range []int{0, 1, 1024} {
		b.Run(fmt.Sprint("cap=", capacity), func(b *testing.B) {
			compare(b, nativePair(capacity), side{"chan", func(n int) {
				c := chans.New[int](capacity)
				goroutines(putter(c, n), getter(c, n))
			}})
		})
	}
}

// request has two oneshots for a round trip, in one allocation.
type request struct {
	reply chans.Oneshot[int]
	next  chans.Oneshot[*request] // brings the next one
}

// Two tasks of one worker ask and answer in turn.
func BenchmarkPingPong(b *testing.B) {
	p := workers(b, 1)
	compare(b, side{"native", func(n int) {
		there, back := make(chan int), make(chan int)
		goroutines(func() {
			for i := range n {
				there <- i
				<-back
			}
		}, func() {
			for range n {
				back <- <-there
			}
		})
	}}, side{"oneshots", func(n int) {
		first := new(request)
		tasks(p, func() {
			at := first
			for range n {
				r := new(request)
				at.next.Send(r)
				_, _ = r.reply.Receive(bg)
				at = r
			}
		}, func() {
			at := first
			for i := range n {
				at, _ = at.next.Receive(bg)
				at.reply.Send(i)
			}
		})
	}}, side{"chans", func(n int) {
		there, back := chans.New[int](0), chans.New[int](0)
		tasks(p, func() {
			for i := range n {
				_ = there.Put(i)
				back.Get()
			}
		}, func() {
			for range n {
				v, _ := there.Get()
				_ = back.Put(v)
			}
		})
	}})
}

func BenchmarkSPSC(b *testing.B) {
	p, q := workers(b, 1), workers(b, 1)
	r := chans.NewSPSC[int](1024)
	compareRounds(b, 100_000, side{"native", func(n int) {
		nativePair(1024).do(n)
	}}, side{"alone", func(n int) {
		inTask(p, func() {
			for i := range n {
				r.TryPush(i)
				r.TryPop()
			}
		})
	}}, side{"batches", func(n int) {
		inTask(p, func() {
			var buf [64]int
			for range n / 64 {
				r.PushSome(buf[:])
				r.PopSome(buf[:])
			}
		})
	}}, side{"one-worker", func(n int) {
		tasks(p, func() {
			for i := range n {
				_ = r.Push(bg, i)
			}
		}, func() {
			for range n {
				_, _ = r.Pop(bg)
			}
		})
	}}, side{"two-workers", func(n int) {
		done := make(chan struct{}, 2)
		p.Go(func() {
			for i := range n {
				_ = r.Push(bg, i)
			}
			done <- struct{}{}
		})
		q.Go(func() {
			for range n {
				_, _ = r.Pop(bg)
			}
			done <- struct{}{}
		})
		<-done
		<-done
	}}, side{"goroutines", func(n int) {
		goroutines(func() {
			for i := range n {
				_ = r.Push(bg, i)
			}
		}, func() {
			for range n {
				_, _ = r.Pop(bg)
			}
		})
	}})
}

// Receivers wait, each for a native channel of its own, and a goroutine sends to them in turn.
func BenchmarkReceiveNative(b *testing.B) {
	for _, locked := range []bool{true, false} {
		for _, buffer := range []int{0, 128} {
			for _, receivers := range []int{1, 16, 100} {
				b.Run(fmt.Sprintf("locked=%v/cap=%d/receivers=%d", locked, buffer, receivers), func(b *testing.B) {
					p := mixed(b, 1, locked)
					compare(b, side{"native", func(n int) {
						feed(n, receivers, buffer, func(f func()) { go f() }, func(ch <-chan int) { <-ch })
					}}, side{"parking", func(n int) {
						feed(n, receivers, buffer, p.Go, func(ch <-chan int) { _, _, _ = chans.ReceiveNative(bg, ch) })
					}})
				})
			}
		}
	}
}

func feed(n, receivers, buffer int, start func(f func()), receive func(ch <-chan int)) {
	var wg sync.WaitGroup
	cs := make([]chan int, receivers)
	n /= receivers
	for i := range cs {
		cs[i] = make(chan int, buffer)
		wg.Add(1)
		start(func() {
			defer wg.Done()
			for range n {
				receive(cs[i])
			}
		})
	}
	for i := range n * receivers {
		cs[i%receivers] <- i
	}
	wg.Wait()
}
