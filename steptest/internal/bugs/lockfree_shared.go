package bugs

import (
	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// cacheTwice looks for a value in a table, makes it if it is not there, and puts it in, without having had the lock in between. Mended, it looks again.
func cacheTwice(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var value *int
		get := func() *int {
			mu.Lock()
			v := value
			mu.Unlock()
			if v != nil {
				return v
			}
			made := new(int)
			mu.Lock()
			defer mu.Unlock()
			if !fixed || value == nil {
				value = made
			}
			return value
		}
		first, second := chans.New[*int](1), chans.New[*int](1)
		together(func() { _ = first.Put(get()) }, func() { _ = second.Put(get()) })
		a, _ := first.Get()
		if b, _ := second.Get(); a != b {
			t.Error("two values for one key")
		}
	}
}

// refcount adds a reference to something whose last one may just have been given up. Mended, it does so only if there is one.
func refcount(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		refs, freed := cell[int]{1}, cell[bool]{}
		release := func() {
			if add(&refs, -1) == 0 {
				freed.store(true)
			}
		}
		together(release, func() {
			for {
				n := refs.load()
				if n == 0 {
					return
				}
				if !fixed {
					add(&refs, 1)
				} else if !swapped(&refs, n, n+1) {
					continue
				}
				break
			}
			if freed.load() {
				t.Error("used after it was freed")
			}
			release()
		})
	}
}

// seqlock reads two words between two looks at a number that is odd while they are written, and does not look whether it was odd the first time. Mended, it does.
func seqlock(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var seq, a, b cell[int]
		together(func() {
			for i := 1; i <= 2; i++ {
				add(&seq, 1)
				a.store(i)
				b.store(i)
				add(&seq, 1)
			}
		}, func() {
			for {
				before := seq.load()
				x, y := a.load(), b.load()
				if seq.load() != before || fixed && before%2 == 1 {
					lockstep.Yield()
					continue
				}
				if x != y {
					t.Errorf("torn: %d and %d", x, y)
				}
				return
			}
		})
	}
}
