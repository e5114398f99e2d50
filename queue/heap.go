package queue

import "github.com/lockstep-go/lockstep/internal/invariants"

// The heap of active queues is binary, with each queue's place kept in
// the queue. container/heap costs an interface call a comparison, and a visit of
// a queue with one short task has a few dozen nanoseconds in all.

func (s *Sched) heapPush(q *Queue) {
	q.heapAt = len(s.heap)
	s.heap = append(s.heap, q)
	s.heapUp(q.heapAt)
}

func (s *Sched) heapPop() *Queue {
	q := s.heap[0]
	last := len(s.heap) - 1
	s.heapSwap(0, last)
	s.heap[last] = nil
	s.heap = s.heap[:last]
	s.heapDown(0)
	q.heapAt = -1
	return q
}

func (s *Sched) heapFix(i int) {
	s.heapUp(i)
	s.heapDown(i)
}

func (s *Sched) heapUp(i int) {
	for i > 0 {
		up := (i - 1) / 2
		if !s.heap[i].before(s.heap[up]) {
			return
		}
		s.heapSwap(i, up)
		i = up
	}
}

func (s *Sched) heapDown(i int) {
	for {
		least := 2*i + 1
		if least >= len(s.heap) {
			return
		}
		if r := least + 1; r < len(s.heap) && s.heap[r].before(s.heap[least]) {
			least = r
		}
		if !s.heap[least].before(s.heap[i]) {
			return
		}
		s.heapSwap(i, least)
		i = least
	}
}

func (s *Sched) heapSwap(i, j int) {
	h := s.heap
	h[i], h[j] = h[j], h[i]
	h[i].heapAt, h[j].heapAt = i, j
}

// check verifies I1 to I3 of docs/invariants.md.
func (s *Sched) check() {
	total := 0
	for _, q := range s.queues {
		total += q.active.n
		invariants.Check(q.heapAt < 0 || s.heap[q.heapAt] == q,
			"I1: queue %d is not at its place in the heap", q.id)
		invariants.Check(q.active.n == 0 || q == s.cur || q.heapAt >= 0,
			"I2: queue %d has %d ready tasks and is not among the active queues", q.id, q.active.n)
		invariants.Check((q.aside.n > 0) == (q.asideAt >= 0),
			"I2: queue %d has %d tasks set aside and is not on the list of those", q.id, q.aside.n)
	}
	invariants.Check(total == s.total, "I3: %d tasks are ready, %d counted", total, s.total)
	for i, q := range s.heap {
		invariants.Check(q.heapAt == i, "I1: queue %d is in the heap twice", q.id)
	}
	for i := 1; i < len(s.heap); i++ {
		invariants.Check(!s.heap[i].before(s.heap[(i-1)/2]), "I1: the heap of active queues is out of order at %d", i)
	}
}
