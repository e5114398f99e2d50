package chans

import (
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/relaxed"
	"github.com/lockstep-go/lockstep/pool"
)

// ring is the buffer of a bounded channel, with a way to send and receive that takes no
// lock as long as nobody waits.
//
// # Protocol
//
// tail and head are words: a stamp, shifted by two, and flags. A stamp is the number of a
// slot plus laps times lap, a power of two greater than the number of slots; so stamps
// grow, and the one after a given one needs no division. A slot's seq says what may
// happen to it next:
//
//	stamp        the sender with this stamp may write it
//	stamp+1      it is written; the receiver with this stamp may take it
//	stamp+lap    it is free again, for the next lap
//
//	who                 changes            to                    then writes
//	sender              tail, by CAS       the next stamp        v, seq = stamp+1
//	receiver            head, by CAS       the next stamp        seq = stamp+lap
//	receiver who waits  tail, by CAS       the same | wanted     itself into the list
//	sender who waits    head, by CAS       the same | wanted     itself into the list
//	Close               tail, by CAS       the same | closed
//
// The last three hold the channel's lock. A flag sends everybody who would change
// that word to the lock: who finds tail wanted hands its value to a receiver in
// the list, and who finds head wanted takes a value and puts that of the first waiting sender
// in its place. So while a flag is set, only who holds the lock changes that word.
//
// No wake-up is lost. A receiver waits only after its CAS has set wanted on a
// tail whose stamp is that of head: no sender has taken a stamp that is not received.
// A sender's CAS that comes after that finds the word changed. One that came before had moved the
// stamp, and the receiver's CAS fails; that a sender has taken a stamp but not
// yet written the slot is not taken for an empty ring. The same goes for a sender,
// with head a full lap behind tail. As stamps only grow, head can't have
// moved between the look at it and the CAS on tail: it never passes tail.
//
// Order: stamps are taken in the order in which sends come, and received in the order of stamps; while
// a flag is set, the list, which is older than who comes to it, is served first.
//
// The numbered slots are Dmitry Vyukov's bounded queue for many producers and consumers,
// with the laps of crossbeam's; the flags for waiting are ours.
type ring[T any] struct {
	slots    []slot[T]
	lap      uint64
	capacity uint64

	_    [64]byte // senders write tail, receivers head: not on one cache line
	tail atomic.Uint64
	_    [56]byte
	head atomic.Uint64
	_    [56]byte
}

type slot[T any] struct {
	seq relaxed.Released
	v   T
}

const (
	wanted uint64 = 1 << iota // somebody waits for this word to move
	closed                    // on tail: no more sends
	flags  = wanted | closed
	shift  = 2
)

func (r *ring[T]) init(capacity int) {
	r.slots = make([]slot[T], capacity)
	r.capacity = uint64(capacity)
	r.lap = 1
	for r.lap <= r.capacity {
		r.lap <<= 1
	}
	for i := range r.slots {
		r.slots[i].seq.Store(uint64(i))
	}
}

// next returns the stamp after stamp.
func (r *ring[T]) next(stamp uint64) uint64 {
	if i := stamp & (r.lap - 1); i+1 < r.capacity {
		return stamp + 1
	}
	return stamp&^(r.lap-1) + r.lap
}

func (r *ring[T]) slot(stamp uint64) *slot[T] { return &r.slots[stamp&(r.lap-1)] }

// send puts v into the ring. It returns false if the ring is full, or somebody has to
// be looked after under the lock, or another thread is in the middle of its receive.
func (r *ring[T]) send(v T) bool {
	for {
		t := r.tail.Load()
		if t&flags != 0 {
			return false
		}
		stamp := t >> shift
		s := r.slot(stamp)
		if s.seq.Load() != stamp {
			if r.tail.Load() == t {
				return false
			}
			continue
		}
		if r.tail.CompareAndSwap(t, r.next(stamp)<<shift) {
			pool.Inner(r)
			s.v = v
			s.seq.Store(stamp + 1)
			return true
		}
	}
}

// receive takes the oldest value. It returns false when send would, with empty for full.
func (r *ring[T]) receive() (v T, ok bool) {
	for {
		h := r.head.Load()
		if h&wanted != 0 {
			return v, false
		}
		stamp := h >> shift
		s := r.slot(stamp)
		if s.seq.Load() != stamp+1 {
			if r.head.Load() == h {
				return v, false
			}
			continue
		}
		if r.head.CompareAndSwap(h, r.next(stamp)<<shift) {
			pool.Inner(r)
			v = s.take()
			s.seq.Store(stamp + r.lap)
			return v, true
		}
	}
}

func (s *slot[T]) take() T {
	var zero T
	v := s.v
	s.v = zero // what it points to is the receiver's alone
	return v
}

// full reports whether head is a lap behind tail.
func (r *ring[T]) full(t, h uint64) bool { return t>>shift == h>>shift+r.lap }

// exchange takes the oldest value of a full ring whose head is wanted and puts v in its
// place. The lock is held, and written has returned true.
func (r *ring[T]) exchange(v T) (old T) {
	h, t := r.head.Load(), r.tail.Load()
	s := r.slot(h >> shift)
	old, s.v = s.v, v
	// Nobody else acts on this slot: receivers stop at the flag of head, and senders find
	// the slot's seq neither before nor after equal to the stamp that tail shows.
	pool.Inner(r)
	s.seq.Store(t>>shift + 1)
	pool.Inner(r)
	r.tail.Store(r.next(t>>shift)<<shift | t&flags)
	pool.Inner(r)
	r.head.Store(r.next(h>>shift)<<shift | h&flags)
	return old
}

// written reports whether the oldest value is there. It may not be, in a ring that is
// not empty, while its sender is in the middle of writing it.
func (r *ring[T]) written() bool {
	stamp := r.head.Load() >> shift
	return r.slot(stamp).seq.Load() == stamp+1
}

// free reports whether the next place is.
func (r *ring[T]) free() bool {
	stamp := r.tail.Load() >> shift
	return r.slot(stamp).seq.Load() == stamp
}

// len counts the values in the ring.
func (r *ring[T]) len() int {
	for {
		t, h := r.tail.Load(), r.head.Load()
		if r.tail.Load() != t {
			continue
		}
		laps := (t>>shift)/r.lap - (h>>shift)/r.lap
		n := laps*r.capacity + t>>shift&(r.lap-1) - h>>shift&(r.lap-1)
		return int(min(n, r.capacity))
	}
}
