package bugs

import (
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Stealing are variants of the queue in Cilk from which others may steal ("The Implementation of the Cilk-5 Multithreaded Language", Frigo, Leiserson and
// Randall, PLDI 1998), with faults as in the ones that come with CHESS.
func Stealing() []Program {
	const source = "CHESS; SCTBench"
	variant := func(name string, s stealing) Program {
		return Program{Name: name, Source: source, Kind: "failure", Buggy: s.test, Fixed: stealing{}.test}
	}
	return []Program{
		variant("steal-owner-looks-first", stealing{ownerLooks: true}),
		variant("steal-thief-looks-first", stealing{thiefLooks: true}),
		variant("steal-no-lock-at-the-end", stealing{noLock: true}),
		variant("steal-thieves-without-lock", stealing{freeThieves: true}),
		variant("steal-old-tail", stealing{oldTail: true}),
	}
}

// stealing says what is wrong with a queue; the zero one is right.
type stealing struct {
	ownerLooks  bool // the owner looks whether something is left and then takes it, where it has to announce that first
	thiefLooks  bool // a thief does the same
	noLock      bool // the owner gives up the last element without making sure with the lock that a thief has it
	freeThieves bool // thieves don't exclude one another
	oldTail     bool // a thief uses what it has read before it had the lock
}

// deque is such a queue: the elements from head to tail. The owner works at the tail, thieves at the head.
type deque struct {
	stealing
	mu         tasksync.Mutex
	head, tail cell[int]
	items      [8]cell[int]
}

func (d *deque) push(v int) {
	t := d.tail.load()
	d.items[t].store(v)
	d.tail.store(t + 1)
}

// pop takes the newest. It announces so by lowering the tail, and then looks for a thief, who does the same at the other end: one of
// two that are after the last element sees the other.
func (d *deque) pop() (int, bool) {
	t := d.tail.load() - 1
	if d.ownerLooks {
		if d.head.load() > t {
			return 0, false
		}
		d.tail.store(t)
		return d.items[t].load(), true
	}
	d.tail.store(t)
	if d.head.load() > t {
		d.tail.store(t + 1)
		if d.noLock {
			return 0, false
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tail.store(t)
		if d.head.load() > t {
			d.tail.store(t + 1)
			return 0, false
		}
	}
	return d.items[t].load(), true
}

// steal takes the oldest.
func (d *deque) steal() (int, bool) {
	old := d.tail.v
	if !d.freeThieves {
		d.mu.Lock()
		defer d.mu.Unlock()
	}
	h := d.head.load()
	if d.thiefLooks {
		if h >= d.tail.load() {
			return 0, false
		}
		d.head.store(h + 1)
		return d.items[h].load(), true
	}
	d.head.store(h + 1)
	t := old
	if !d.oldTail {
		t = d.tail.load()
	}
	if h+1 > t {
		d.head.store(h)
		return 0, false
	}
	return d.items[h].load(), true
}

// test has an owner that pushes three elements and takes until none is left, and two thieves. Each element has to be taken once.
func (s stealing) test(t *steptest.T) {
	const n = 3
	d := deque{stealing: s}
	var taken [n]int
	count := func(v int, ok bool) {
		if ok {
			taken[v]++
		}
	}
	thief := func() { count(d.steal()) }
	together(func() {
		for v := range n {
			d.push(v)
		}
		for {
			v, ok := d.pop()
			count(v, ok)
			if !ok {
				return
			}
		}
	}, thief, thief)
	for v, times := range taken {
		if times != 1 {
			t.Errorf("element %d was taken %d times", v, times)
		}
	}
}
