package chans

// segments is the buffer of an unbounded channel: a list of arrays, so that growing copies
// nothing and a burst gives its memory back. The channel's lock guards it.
type segments[T any] struct {
	first, last *segment[T]
	from, to    int // in first, in last
	n           int
	spare       *segment[T]
}

type segment[T any] struct {
	next  *segment[T]
	items [segmentLen]T
}

// segmentLen makes the cost of an allocation, a few hundred ns, one of a few for each value.
const segmentLen = 128

// push appends v. It returns false, and does nothing, if it needs another segment: allocate
// one without the lock and give it to supply.
func (q *segments[T]) push(v T) bool {
	if q.last == nil || q.to == segmentLen {
		s := q.spare
		if s == nil {
			return false
		}
		q.spare = nil
		if q.last == nil {
			q.first, q.from = s, 0
		} else {
			q.last.next = s
		}
		q.last, q.to = s, 0
	}
	q.last.items[q.to] = v
	q.to++
	q.n++
	return true
}

func (q *segments[T]) supply(s *segment[T]) {
	if q.spare == nil {
		q.spare = s
	}
}

func (q *segments[T]) pop() (v T, ok bool) {
	if q.n == 0 {
		return v, false
	}
	s := q.first
	v, s.items[q.from] = s.items[q.from], v
	q.from++
	q.n--
	switch {
	case q.n == 0: // the segment is used again from its beginning
		q.from, q.to = 0, 0
		q.first = q.last
	case q.from == segmentLen:
		q.first, q.from, s.next = s.next, 0, nil
		q.supply(s)
	}
	return v, true
}
