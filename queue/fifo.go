package queue

// segmentTasks makes a segment exactly 2 KiB, a size class of the allocator:
// 16.1 bytes a task.
const segmentTasks = 127

// copyBelow is how many tasks are copied rather than spliced: a splice hands
// over whole segments, and a trickle of nearly empty ones would waste memory.
const copyBelow = 32

type segment struct {
	next       *segment
	head, tail uint32
	tasks      [segmentTasks]Task
}

// FIFO is an unbounded first-in first-out list of tasks in linked segments.
// The zero value is empty. It is not safe for concurrent use.
//
// Tasks can be taken out of the middle ([FIFO.TakeStealable]); they leave holes,
// entries without Fn, which Pop passes over.
type FIFO struct {
	head, tail *segment
	n          int // tasks, holes not counted
}

// Cache keeps spare segments, so that a list that grows and shrinks in steady
// state does not allocate. The zero value is empty. It keeps at most
// cacheMax segments (64 KiB); the rest is left to the garbage collector,
// so that a queue that once held a million tasks gives the memory back.
type Cache struct {
	free *segment
	n    int
}

const cacheMax = 32

// Len returns the number of tasks.
func (f *FIFO) Len() int { return f.n }

// Push appends t. t.Fn must not be nil.
func (f *FIFO) Push(c *Cache, t Task) {
	s := f.tail
	if s == nil || s.tail == segmentTasks {
		s = f.grow(c)
	}
	s.tasks[s.tail] = t
	s.tail++
	f.n++
}

func (f *FIFO) grow(c *Cache) *segment {
	s := c.get()
	if f.tail == nil {
		f.head = s
	} else {
		f.tail.next = s
	}
	f.tail = s
	return s
}

// Pop removes and returns the oldest task.
func (f *FIFO) Pop(c *Cache) (Task, bool) {
	s := f.head
	if s != nil && s.head < s.tail {
		if t := s.tasks[s.head]; t.Fn != nil {
			s.tasks[s.head].Fn = nil
			s.head++
			f.n--
			return t, true
		}
	}
	return f.popSlow(c)
}

// popSlow passes over holes and drained segments.
func (f *FIFO) popSlow(c *Cache) (Task, bool) {
	for s := f.head; s != nil; s = f.head {
		for s.head < s.tail {
			t := s.tasks[s.head]
			s.tasks[s.head].Fn = nil
			s.head++
			if t.Fn != nil {
				f.n--
				return t, true
			}
		}
		if s.next == nil { // the last segment is kept and used again from its start
			s.head, s.tail = 0, 0
			break
		}
		f.head = s.next
		c.put(s)
	}
	return Task{}, false
}

// Append moves all tasks of g, in their order, to the end of f.
func (f *FIFO) Append(c *Cache, g *FIFO) {
	if g.n < copyBelow {
		for {
			t, ok := g.Pop(c)
			if !ok {
				return
			}
			f.Push(c, t)
		}
	}
	if f.tail == nil {
		f.head = g.head
	} else {
		f.tail.next = g.head
	}
	f.tail, f.n = g.tail, f.n+g.n
	*g = FIFO{}
}

// TakeStealable removes up to limit stealable tasks, oldest first, and appends
// them to dst. It looks at no more than scan entries.
func (f *FIFO) TakeStealable(c *Cache, dst *FIFO, limit, scan int) int {
	return f.take(c, dst, limit, scan, nil)
}

// take is TakeStealable that also takes started tasks which movable, if not nil, allows.
func (f *FIFO) take(c *Cache, dst *FIFO, limit, scan int, movable func(Task) bool) int {
	var kept FIFO
	taken := 0
	for ; taken < limit && scan > 0; scan-- {
		t, ok := f.Pop(c)
		if !ok {
			break
		}
		if t.Stealable() || t.Site == Started && movable != nil && movable(t) {
			dst.Push(c, t)
			taken++
		} else {
			kept.Push(c, t)
		}
	}
	if kept.n > 0 { // back in front, so that the next thief meets no holes
		kept.tail.next = f.head
		f.head, f.n = kept.head, f.n+kept.n
	}
	return taken
}

// Drop gives all segments back to the cache. The list must be empty.
func (f *FIFO) Drop(c *Cache) {
	for s := f.head; s != nil; {
		next := s.next
		c.put(s)
		s = next
	}
	*f = FIFO{}
}

// Share moves up to n spare segments from c to d, as far as d has room.
func (c *Cache) Share(d *Cache, n int) {
	for ; n > 0 && c.free != nil && d.n < cacheMax; n-- {
		s := c.free
		c.free, c.n = s.next, c.n-1
		d.put(s)
	}
}

func (c *Cache) get() *segment {
	s := c.free
	if s == nil {
		return new(segment)
	}
	c.free, c.n = s.next, c.n-1
	s.next = nil
	return s
}

// put takes a drained segment: every Fn in it is nil.
func (c *Cache) put(s *segment) {
	if c.n == cacheMax {
		return
	}
	s.head, s.tail = 0, 0
	s.next = c.free
	c.free = s
	c.n++
}

// find returns where the first entry is for which is reports true after the entry's Fn was called.
func (f *FIFO) find(is func() bool) (s *segment, i uint32, ok bool) {
	for s = f.head; s != nil; s = s.next {
		for i = s.head; i < s.tail; i++ {
			if fn := s.tasks[i].Fn; fn != nil {
				if fn(); is() {
					return s, i, true
				}
			}
		}
	}
	return nil, 0, false
}

// remove takes that entry out. It leaves a hole only behind other entries, so that a list which is always
// taken from like this does not grow.
func (f *FIFO) remove(is func() bool) bool {
	s, i, ok := f.find(is)
	if !ok {
		return false
	}
	s.tasks[i].Fn = nil
	f.n--
	for s = f.head; s.head < s.tail && s.tasks[s.head].Fn == nil; s.head++ {
	}
	if s.head == s.tail && s.next == nil {
		s.head, s.tail = 0, 0
	}
	return true
}
