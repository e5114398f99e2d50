package pool_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-go/lockstep/pool"
)

// BenchmarkTimers is the reason for the heap of our own: beside it is one of container/heap as a worker had
// it before, of pointers to timers that know their places.
func BenchmarkTimers(b *testing.B) {
	for _, n := range []int{1, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("arm+cancel/pending=%d/four", n), func(b *testing.B) {
			var h pool.TimerHeap
			x, rnd := fill(n, func() any { return &pool.TestTimer{} }, func(x any, when int64) { h.Add(x.(*pool.TestTimer), when) })
			y := &pool.TestTimer{}
			_ = x
			b.ReportAllocs()
			for b.Loop() {
				h.Add(y, rnd.Int64N(1e9))
				h.Remove(y)
			}
		})
		b.Run(fmt.Sprintf("arm+cancel/pending=%d/container", n), func(b *testing.B) {
			var h oldHeap
			_, rnd := fill(n, func() any { return &oldTimer{} }, func(x any, when int64) { h.add(x.(*oldTimer), when) })
			y := &oldTimer{}
			b.ReportAllocs()
			for b.Loop() {
				h.add(y, rnd.Int64N(1e9))
				h.remove(y)
			}
		})
		b.Run(fmt.Sprintf("fire/pending=%d/four", n), func(b *testing.B) {
			var h pool.TimerHeap
			x, rnd := fill(n, func() any { return &pool.TestTimer{} }, func(x any, when int64) { h.Add(x.(*pool.TestTimer), when) })
			var again *pool.TestTimer
			for _, x := range x {
				x := x.(*pool.TestTimer)
				x.OnFire(func() { again = x })
			}
			b.ReportAllocs()
			for b.Loop() { // one goes off and is set again
				at := h.First()
				h.Due(at)
				h.Add(again, at+rnd.Int64N(1e9))
			}
		})
		b.Run(fmt.Sprintf("fire/pending=%d/container", n), func(b *testing.B) {
			var h oldHeap
			_, rnd := fill(n, func() any { return &oldTimer{} }, func(x any, when int64) { h.add(x.(*oldTimer), when) })
			b.ReportAllocs()
			for b.Loop() {
				x := heap.Pop(&h).(*oldTimer)
				h.add(x, x.when+rnd.Int64N(1e9))
			}
		})
	}
}

func fill(n int, make func() any, add func(x any, when int64)) (all []any, rnd *rand.Rand) {
	rnd = rand.New(rand.NewPCG(1, 2))
	for range n {
		x := make()
		add(x, rnd.Int64N(1e9))
		all = append(all, x)
	}
	return all, rnd
}

type oldTimer struct {
	when int64
	seq  uint64
	at   int
}

type oldHeap struct {
	list []*oldTimer
	seq  uint64
}

func (h *oldHeap) add(x *oldTimer, when int64) {
	h.seq++
	x.when, x.seq = when, h.seq
	heap.Push(h, x)
}

func (h *oldHeap) remove(x *oldTimer) { heap.Remove(h, x.at-1) }

func (h *oldHeap) Len() int { return len(h.list) }

func (h *oldHeap) Less(i, j int) bool {
	a, b := h.list[i], h.list[j]
	return a.when < b.when || a.when == b.when && a.seq < b.seq
}

func (h *oldHeap) Swap(i, j int) {
	h.list[i], h.list[j] = h.list[j], h.list[i]
	h.list[i].at, h.list[j].at = i+1, j+1
}

func (h *oldHeap) Push(x any) {
	h.list = append(h.list, x.(*oldTimer))
	x.(*oldTimer).at = len(h.list)
}

func (h *oldHeap) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	x.at = 0
	return x
}
