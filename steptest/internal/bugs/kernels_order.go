package bugs

import (
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// reorder has n-1 tasks that make two stores, and one that must not see the first of these without the second. Mended, the two, and the
// looks, are made under a lock.
func reorder(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var a, b cell[int]
		guarded := func(f func()) func() {
			return func() {
				if fixed {
					mu.Lock()
					defer mu.Unlock()
				}
				f()
			}
		}
		set := guarded(func() {
			a.store(1)
			b.store(-1)
		})
		check := guarded(func() {
			x, y := a.load(), b.load()
			if x != -y {
				t.Errorf("seen: %d and %d", x, y)
			}
		})
		together(times(n-1, set, check)...)
	}
}

// twostage is reorder with a lock for each of the two variables. Mended, the first one is kept until the second is done.
func twostage(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var first, second tasksync.Mutex
		one, two := 0, 0
		set := func() {
			first.Lock()
			one = 1
			if !fixed {
				first.Unlock()
			}
			second.Lock()
			two = one + 1
			second.Unlock()
			if fixed {
				first.Unlock()
			}
		}
		check := func() {
			first.Lock()
			x := one
			first.Unlock()
			if x == 0 {
				return
			}
			second.Lock()
			y := two
			second.Unlock()
			if y != x+1 {
				t.Errorf("seen: %d and %d", x, y)
			}
		}
		together(times(n-1, set, check)...)
	}
}

// bluetooth is a driver that is stopped while a request begins. The request looks whether the driver is stopping and is then counted; in between the count
// may have come to 0, and the driver has stopped. Mended, it is counted first.
func bluetooth(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		pending, stopping, stopped := cell[int]{1}, cell[bool]{}, cell[bool]{}
		idle := chans.New[struct{}](2)
		leave := func() {
			if add(&pending, -1) == 0 {
				_ = idle.Put(struct{}{})
			}
		}
		request := func() {
			if fixed {
				add(&pending, 1)
				defer leave()
			}
			if stopping.load() {
				return
			}
			if !fixed {
				add(&pending, 1)
				defer leave()
			}
			if stopped.load() {
				t.Error("a request in a driver that has stopped")
			}
		}
		together(request, func() {
			stopping.store(true)
			leave()
			_, _ = idle.Get()
			stopped.store(true)
		})
	}
}

// lateStore takes it for granted that one store comes before the end of n steps of another task. Mended, that task waits for it.
func lateStore(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var c cell[int]
		var ready tasksync.WaitGroup
		ready.Add(1)
		together(
			func() { c.store(1); ready.Done() },
			func() {
				work(t, n)
				if fixed {
					ready.Wait()
				}
				if c.load() == 0 {
					t.Error("not stored yet")
				}
			},
		)
	}
}

// lockAndChannel sends with a lock held that the receiver takes between two receives. Mended, it sends without.
func lockAndChannel(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		changes := chans.New[int](0)
		set := func() {
			mu.Lock()
			if fixed {
				mu.Unlock()
				_ = changes.Put(1)
				return
			}
			_ = changes.Put(1)
			mu.Unlock()
		}
		together(set, set, func() {
			for range 2 {
				_, _ = changes.Get()
				under(&mu, func() {})
			}
		})
	}
}

// doubleClose closes if nobody has closed yet, in two steps. Mended, it is one.
func doubleClose(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var closed cell[bool]
		c := chans.New[int](0)
		shut := func() {
			if fixed {
				if swapped(&closed, false, true) {
					c.Close()
				}
				return
			}
			if !closed.load() {
				c.Close()
				closed.store(true)
			}
		}
		together(shut, shut)
	}
}
