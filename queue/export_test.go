package queue

// What the tests need to know of the insides: bounds to test at, and how much
// memory a list really holds.
const (
	RebaseAbove  = rebaseAbove
	MaxCharge    = maxCharge
	VisitCost    = visitCost
	Scale        = vrScale
	SegmentTasks = segmentTasks
	CopyBelow    = copyBelow
	CacheMax     = cacheMax
)

// SetVirtual moves every queue, and the worker, to the virtual runtime v. All
// become equal, so it is for the beginning of a test, while no task is ready.
func (s *Sched) SetVirtual(v uint64) {
	s.vnow = v
	for _, q := range s.queues {
		q.vr = v
	}
}

// VirtualNow returns the virtual runtime of the worker, at which idle queues rejoin.
func (s *Sched) VirtualNow() uint64 { return s.vnow }

// Check verifies the invariants in every build.
func (s *Sched) Check() { s.check() }

// Segments returns how many segments the list holds.
func (f *FIFO) Segments() int {
	n := 0
	for s := f.head; s != nil; s = s.next {
		n++
	}
	return n
}

// Held returns how many functions the list keeps alive, in whatever place of
// its segments. It should be Len.
func (f *FIFO) Held() int { return held(f.head) }

// Segments returns how many spare segments the cache holds.
func (c *Cache) Segments() int {
	n := 0
	for s := c.free; s != nil; s = s.next {
		n++
	}
	return n
}

// Held returns how many functions the spare segments keep alive. It should be 0.
func (c *Cache) Held() int { return held(c.free) }

func held(s *segment) int {
	n := 0
	for ; s != nil; s = s.next {
		for i := range s.tasks {
			if s.tasks[i].Fn != nil {
				n++
			}
		}
	}
	return n
}

// Spare returns how many segments the scheduler keeps in reserve.
func (s *Sched) Spare() int { return s.cache.Segments() }

// MisplaceHeap breaks I1: the first two queues of the heap change places without
// being told.
func (s *Sched) MisplaceHeap() { s.heap[0], s.heap[1] = s.heap[1], s.heap[0] }

// DisorderHeap breaks I1: the least queue of the heap becomes the greatest and
// stays where it is.
func (s *Sched) DisorderHeap() { s.heap[0].vr = 1 << 60 }

// ForgetActive breaks I2: a queue with ready tasks is not in the heap.
func (s *Sched) ForgetActive() { s.heapPop() }

// ForgetAside breaks I2: a queue with set-aside tasks is not on their list.
func (s *Sched) ForgetAside(q *Queue) { q.asideAt = -1 }

// Miscount breaks I3.
func (s *Sched) Miscount() { s.total++ }
