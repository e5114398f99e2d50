package queue

import (
	"math/bits"

	"github.com/lockstep-go/lockstep/internal/invariants"
)

// rebaseAbove is where virtual runtimes are moved down together. A visit adds
// at most maxCharge*vrScale = 2^60, so they cannot overflow in between.
const rebaseAbove = 1 << 62

// Sched holds the task queues of one worker and decides what runs next. Make
// one with [New]. It is not safe for concurrent use, except that
// [Sched.TakeStealable] may be called by another thread that has excluded the
// owner.
//
// The owner's loop is: while [Sched.Next] returns a task, run it; then
// [Sched.EndVisit], and [Sched.Pick] the next queue. [Sched.Push] and
// [Sched.Ready] bring tasks in at any time.
type Sched struct {
	queues []*Queue
	heap   []*Queue // active queues except the one being visited, least first
	asides []*Queue // queues with set-aside tasks
	urgent []*Queue // queues with a latency goal

	cur   *Queue // being visited
	cache Cache

	quantum   int64
	visitFrom int64 // when the visit began
	visitFor  int64 // how long it may last

	tick     uint64
	tickFrom int64
	vnow     uint64 // virtual runtime of the queue picked last; never goes back

	// preempt is set when a queue with a latency goal became active during
	// another queue's visit.
	preempt bool
	total   int // tasks in all active lists
}

// New returns an empty scheduler whose quantum is in nanoseconds, more than 0.
func New(quantum int64) *Sched { return &Sched{quantum: quantum, tick: 1} }

// Add adds a task queue. shares is clamped as by [Sched.SetShares]; latency is
// in nanoseconds, 0 for none.
func (s *Sched) Add(shares int, latency int64) *Queue {
	q := &Queue{id: len(s.queues), latency: latency, heapAt: -1, asideAt: -1, shares: clampShares(shares)}
	s.queues = append(s.queues, q)
	if latency > 0 {
		s.urgent = append(s.urgent, q)
	}
	return q
}

// SetShares changes the weight of a queue, clamped to [MinShares, MaxShares]. The time by which the queue is
// ahead of the others stays what it was, so in virtual runtime it changes with the weight: otherwise a
// queue that has just run at 1 share would wait a thousand times as long for its next turn after it was raised to 1,000.
func (s *Sched) SetShares(q *Queue, n int) {
	was := q.shares
	q.shares = clampShares(n)
	q.rem %= q.shares
	if q.vr <= s.vnow || was == q.shares {
		return
	}
	q.vr = s.vnow + scaled(q.vr-s.vnow, was, q.shares)
	if q.heapAt >= 0 {
		s.heapFix(q.heapAt)
	}
}

func clampShares(n int) uint64 { return uint64(min(max(n, MinShares), MaxShares)) }

// scaled is x*a/b, at most what the longest visit costs.
func scaled(x, a, b uint64) uint64 {
	hi, lo := bits.Mul64(x, a)
	if hi >= b {
		return maxCharge * vrScale
	}
	v, _ := bits.Div64(hi, lo, b)
	return min(v, maxCharge*vrScale)
}

// Queue returns queue number id.
func (s *Sched) Queue(id int) *Queue { return s.queues[id] }

// Current returns the queue being visited, nil between visits.
func (s *Sched) Current() *Queue { return s.cur }

// Tick returns the number of the tick, starting at 1. A task that runs is
// stamped with it.
func (s *Sched) Tick() uint64 { return s.tick }

// Len returns how many tasks are ready in all queues, set-aside tasks not
// counted.
func (s *Sched) Len() int { return s.total }

// Idle reports whether no task is ready or set aside in any queue: nothing but
// the running task could run now.
func (s *Sched) Idle() bool { return s.total == 0 && len(s.asides) == 0 }

// Preempt reports whether a latency queue became active during the visit of
// another queue. EndVisit clears it.
func (s *Sched) Preempt() bool { return s.preempt }

// Push makes a task ready that has not run in this tick: a new one, or one that
// was woken from outside.
func (s *Sched) Push(q *Queue, t Task) {
	q.active.Push(&s.cache, t)
	s.total++
	if q.active.n == 1 {
		s.activate(q)
	}
}

// PushAll makes all tasks of f ready, in their order. f is empty afterwards.
func (s *Sched) PushAll(q *Queue, f *FIFO) {
	if f.n == 0 {
		return
	}
	was := q.active.n
	s.total += f.n
	q.active.Append(&s.cache, f)
	if was == 0 {
		s.activate(q)
	}
}

// Ready makes a task ready that was woken from inside: by itself or by a task
// running on this worker. ran is the tick in which it last ran; preempted says
// that the task which causes this had used up its quantum. Ready reports whether
// the task was set aside.
func (s *Sched) Ready(q *Queue, t Task, ran uint64, preempted bool) (aside bool) {
	if !detector || ran != s.tick || preempted {
		s.Push(q, t)
		return false
	}
	if q.asideAt < 0 {
		if q.active.n == 0 && q != s.cur {
			s.rejoin(q)
		}
		q.asideAt = len(s.asides)
		s.asides = append(s.asides, q)
	}
	q.aside.Push(&s.cache, t)
	q.counts.SetAside++
	return true
}

// Yielded notes that the current visit holds a voluntary yield.
func (s *Sched) Yielded() {
	if s.cur != nil {
		s.cur.yielded = true
	}
}

// Next removes and returns the next task of the current visit; false means that
// the visit is over because the queue has nothing left, or that there is none.
func (s *Sched) Next() (Task, bool) {
	q := s.cur
	if q == nil {
		return Task{}, false
	}
	f := &q.active
	if g := f.head; g != nil && g.head < g.tail { // Pop's first case, without its call
		if t := g.tasks[g.head]; t.Fn != nil {
			g.tasks[g.head].Fn = nil
			g.head++
			f.n--
			s.total--
			return t, true
		}
	}
	t, ok := f.popSlow(&s.cache)
	if ok {
		s.total--
	}
	return t, ok
}

// Extend begins the next tick inside the current visit, if only the visited queue has anything left and
// all of that is set aside. It reports whether it did; [Sched.Next] then has a task. Ending the visit, picking
// and beginning the same queue's visit again would lead to the same task, at the price of a
// look at the clock: for two tasks that wake each other, on a worker that has nothing else to do, at every turn.
func (s *Sched) Extend() bool {
	q := s.cur
	if q == nil || s.preempt || len(s.heap) > 0 || len(s.asides) != 1 || s.asides[0] != q {
		return false
	}
	s.tick++
	s.asides[0] = nil
	s.asides = s.asides[:0]
	q.asideAt = -1
	s.total += q.aside.n
	q.active.Append(&s.cache, &q.aside)
	return true
}

// Over reports whether the current visit has used up its quantum, or a latency
// queue asks for its turn.
func (s *Sched) Over(now int64) bool {
	return s.preempt || s.cur != nil && now-s.visitFrom >= s.visitFor
}

// Continues reports whether the current visit goes on: it has tasks left and
// its quantum is not over.
func (s *Sched) Continues(now int64) bool {
	return s.cur != nil && s.cur.active.n > 0 && !s.Over(now)
}

// Renew charges the current queue and begins its next visit, without giving way:
// for a task that used up its quantum while nothing else is ready.
func (s *Sched) Renew(now int64) {
	if q := s.cur; q != nil {
		s.EndVisit(now)
		s.cur = q
		s.vnow = max(s.vnow, q.vr)
		s.visitFor = s.quantumBeside(q)
	}
}

// VisitEnd returns when the quantum of the current visit is over.
func (s *Sched) VisitEnd() int64 { return s.visitFrom + s.visitFor }

// VisitFor returns the quantum of the current visit, or of the last.
func (s *Sched) VisitFor() int64 { return s.visitFor }

// EndVisit charges the current queue and puts it back if it has tasks left.
func (s *Sched) EndVisit(now int64) {
	q := s.cur
	if q == nil {
		return
	}
	q.charge(now - s.visitFrom)
	s.cur, s.preempt = nil, false
	s.visitFrom = now
	if q.active.n > 0 {
		s.heapPush(q)
	}
	if q.vr > rebaseAbove {
		s.rebase()
	}
}

// Recycle gives spare segments to the cache of whoever fills the lists that
// PushAll takes over, so that segments go round.
func (s *Sched) Recycle(c *Cache) { s.cache.Share(c, recycled) }

const recycled = 4

// Charge adds time to a queue that used it outside of a visit: what a task of
// the queue ran while a helper stood in for its worker.
func (s *Sched) Charge(q *Queue, elapsed int64) {
	if q.active.n == 0 && q.aside.n == 0 && q != s.cur {
		s.rejoin(q) // a debt from before the idle time would be no debt
	}
	d := uint64(min(max(elapsed, 0), maxCharge))
	q.counts.RunTime += d
	q.spend(d)
	if q.heapAt >= 0 {
		s.heapFix(q.heapAt)
	}
	if q.vr > rebaseAbove {
		s.rebase()
	}
}

// Pick begins the next visit and reports whether there is one. Between visits
// only: EndVisit comes first.
func (s *Sched) Pick(now int64) bool {
	for len(s.heap) > 0 && s.heap[0].active.n == 0 { // a thief took all of it
		s.heapPop()
	}
	if s.tickOver(now) {
		s.advance(now)
	}
	if len(s.heap) == 0 {
		return false
	}
	q := s.heapPop()
	s.cur = q
	s.vnow = max(s.vnow, q.vr)
	s.visitFrom, s.visitFor = now, s.quantumBeside(q)
	if invariants.Enabled {
		s.check()
	}
	return true
}

// TakeStealable moves stealable tasks, of each queue as many as half of its tasks and
// at most the queue's limit, into the lists of dst; both are indexed by queue number. It returns how many.
func (s *Sched) TakeStealable(c *Cache, dst []FIFO, limits []int) int {
	return s.TakeMovable(c, dst, limits, nil)
}

// TakeMovable is TakeStealable that also takes started tasks, set aside ones too, if movable is not nil and
// allows it. It asks once for each, and what it allows is taken.
func (s *Sched) TakeMovable(c *Cache, dst []FIFO, limits []int, movable func(Task) bool) int {
	taken := 0
	for i, q := range s.queues {
		if movable != nil && q.aside.n > 0 {
			n := q.aside.take(c, &dst[i], limits[i], scanMost, movable)
			taken += n
			s.total += n // taken out of total below
			if q.aside.n == 0 {
				s.noneAside(q)
			}
		}
		if q.active.n == 0 {
			continue
		}
		taken += q.active.take(c, &dst[i], min(limits[i], (q.active.n+1)/2), scanMost, movable)
	}
	s.total -= taken
	return taken
}

// scanMost bounds how many entries of a queue a thief looks at, while the owner waits.
const scanMost = 1024

// tickOver is the three cases of the rule, in the package comment.
func (s *Sched) tickOver(now int64) bool {
	if len(s.heap) == 0 || now-s.tickFrom >= s.quantum {
		return true
	}
	for _, q := range s.asides {
		if q.active.n == 0 && q.before(s.heap[0]) {
			return true
		}
	}
	return false
}

// advance begins a new tick: what was set aside becomes active again.
func (s *Sched) advance(now int64) {
	s.tick++
	s.tickFrom = now
	for i, q := range s.asides {
		s.asides[i] = nil
		q.asideAt = -1
		s.total += q.aside.n
		q.active.Append(&s.cache, &q.aside)
		if q.heapAt < 0 { // neither active nor emptied by a thief in the heap
			// The queue was never idle, so it keeps its virtual runtime.
			s.heapPush(q)
		}
	}
	s.asides = s.asides[:0]
}

// noneAside takes a queue off the list of those with set-aside tasks: a thief took them.
func (s *Sched) noneAside(q *Queue) {
	last := len(s.asides) - 1
	moved := s.asides[last]
	s.asides[q.asideAt] = moved
	moved.asideAt = q.asideAt
	s.asides[last] = nil
	s.asides = s.asides[:last]
	q.asideAt = -1
}

// activate puts a queue that had no active task among the active ones.
func (s *Sched) activate(q *Queue) {
	if q == s.cur {
		return
	}
	if q.aside.n == 0 {
		s.rejoin(q)
	}
	if q.heapAt < 0 { // else a thief emptied it there
		s.heapPush(q)
	}
	s.wantsTurn(q)
}

// rejoin is the maximum rule: a queue that was idle neither saves up credit nor
// loses debt.
func (s *Sched) rejoin(q *Queue) {
	if q.vr >= s.vnow {
		return
	}
	q.vr = s.vnow
	if q.heapAt >= 0 { // emptied by a thief while in the heap
		s.heapFix(q.heapAt)
	}
}

func (s *Sched) wantsTurn(q *Queue) {
	if q.latency > 0 && s.cur != nil {
		s.preempt = true
	}
}

// quantumBeside returns how long a visit of q may last: the latency goals
// of the other active queues shorten it.
func (s *Sched) quantumBeside(q *Queue) int64 {
	d := s.quantum
	for _, u := range s.urgent {
		if u != q && u.active.n > 0 {
			d = min(d, u.latency)
		}
	}
	return d
}

// rebase moves all virtual runtimes down. Only their differences matter; a queue
// so far behind that it would go below zero is idle and would rejoin
// at vnow anyway.
func (s *Sched) rebase() {
	base := s.vnow
	s.vnow = 0
	for _, q := range s.queues {
		q.vr -= min(q.vr, base)
	}
}

// Remove removes the first entry of a queue, ready or set aside, for which is reports true after the entry's Fn was called, and reports
// whether there was one. It is for a scheduler whose choice is made elsewhere, and whose entries' Fn only name a task.
func (s *Sched) Remove(q *Queue, is func() bool) bool {
	if q.active.remove(is) {
		s.total--
		return true
	}
	if q.aside.n > 0 && q.aside.remove(is) {
		if q.aside.n == 0 {
			s.noneAside(q)
		}
		return true
	}
	return false
}

// Holds reports whether Remove would find an entry.
func (s *Sched) Holds(q *Queue, is func() bool) bool {
	_, _, ok := q.active.find(is)
	if !ok {
		_, _, ok = q.aside.find(is)
	}
	return ok
}
