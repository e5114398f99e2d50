package queue_test

import (
	"fmt"
	"testing"

	"github.com/lockstep-go/lockstep/queue"
)

// BenchmarkPushNext is what a task that runs to its end costs of the policy.
func BenchmarkPushNext(b *testing.B) {
	for _, depth := range []int{0, 1000} {
		b.Run(fmt.Sprint("depth=", depth), func(b *testing.B) {
			s := queue.New(int64(quantum))
			q := s.Add(100, 0)
			x := numbered(1, 1)
			for range depth + 1 {
				s.Push(q, x)
			}
			s.Pick(0)
			s.Next()
			b.ReportAllocs()
			for b.Loop() {
				s.Push(q, x)
				s.Next()
			}
		})
	}
}

// BenchmarkVisit is one visit with one task in it, of as many active queues.
func BenchmarkVisit(b *testing.B) {
	for _, queues := range []int{1, 2, 10, 100} {
		b.Run(fmt.Sprint("queues=", queues), func(b *testing.B) {
			s := queue.New(int64(quantum))
			for i := range queues {
				s.Push(s.Add(1+i%7, 0), numbered(i, queue.Started))
			}
			now := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				s.Pick(now)
				e, _ := s.Next()
				now += 1000
				s.Push(s.Current(), e)
				s.EndVisit(now)
			}
		})
	}
}

// BenchmarkReady is a task that makes itself ready: as one that ran in another tick, as
// one that was preempted, and as one that is set aside. The first two cost
// what the detector asks of everybody; a tick is in all three.
func BenchmarkReady(b *testing.B) {
	for _, c := range []struct {
		name      string
		before    uint64 // how many ticks ago it ran
		preempted bool
	}{{"active", 1, false}, {"preempted", 0, true}, {"aside", 0, false}} {
		for _, tasks := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/tasks=%d", c.name, tasks), func(b *testing.B) {
				s := queue.New(1)
				q := s.Add(100, 0)
				for i := range tasks {
					s.Push(q, numbered(i, queue.Started))
				}
				now := int64(0)
				left := 0
				b.ReportAllocs()
				for b.Loop() {
					if left == 0 {
						now++
						s.EndVisit(now)
						s.Pick(now)
						left = tasks
					}
					left--
					e, _ := s.Next()
					s.Ready(q, e, s.Tick()-c.before, c.preempted)
				}
			})
		}
	}
}

// BenchmarkVisitBesideYielders is a visit while as many queues hold only set-aside tasks:
// each of them is looked at before it.
func BenchmarkVisitBesideYielders(b *testing.B) {
	for _, queues := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprint("queues=", queues), func(b *testing.B) {
			s := queue.New(1 << 50)
			work := s.Add(queue.MaxShares, 0)
			s.Push(work, numbered(0, queue.Started))
			for i := range queues {
				q := s.Add(1, 0)
				s.Charge(q, 1<<50) // so that it does not end the tick
				s.Ready(q, numbered(i, queue.Started), s.Tick(), false)
			}
			now := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				s.Pick(now)
				e, _ := s.Next()
				now += 1000
				s.Push(work, e)
				s.EndVisit(now)
			}
		})
	}
}

// BenchmarkSteal moves half of a queue to another worker and back.
func BenchmarkSteal(b *testing.B) {
	for _, tasks := range []int{2, 64, 512} {
		b.Run(fmt.Sprint("tasks=", tasks), func(b *testing.B) {
			s := queue.New(int64(quantum))
			q := s.Add(100, 0)
			for i := range tasks {
				s.Push(q, numbered(i, 1))
			}
			var c queue.Cache
			dst := make([]queue.FIFO, 1)
			b.ReportAllocs()
			for b.Loop() {
				steal(s, &c, dst, 256)
				s.PushAll(q, &dst[0])
				s.Pick(0) // the holes have to go too
				e, _ := s.Next()
				s.Push(q, e)
				s.EndVisit(0)
			}
		})
	}
}
