package bugs

import (
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// lazy01 has a task that takes it for granted that it does not come last of three. Mended, it does not.
func lazy01(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		n := 0
		most := 2
		if fixed {
			most = 3
		}
		together(
			func() { under(&mu, func() { n++ }) },
			func() { under(&mu, func() { n += 2 }) },
			func() {
				under(&mu, func() {
					if n > most {
						t.Errorf("n is %d", n)
					}
				})
			},
		)
	}
}

// phase01 lets go of the first of two locks and takes it again with the second one held. Mended, it lets go of both.
func phase01(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var x, y tasksync.Mutex
		together(func() {
			x.Lock()
			y.Lock()
			x.Unlock()
			if fixed {
				y.Unlock()
				x.Lock()
				y.Lock()
			} else {
				x.Lock()
			}
			y.Unlock()
			x.Unlock()
		}, func() {
			under(&x, func() { under(&y, func() {}) })
		})
	}
}

// wronglock has n tasks that change a value under a lock which is not that of the task which relies on it. Mended, it is.
func wronglock(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var right, wrong tasksync.Mutex
		var v cell[int]
		used := &wrong
		if fixed {
			used = &right
		}
		change := func() { under(used, func() { v.store(v.load() + 1) }) }
		together(times(n, change, func() {
			under(&right, func() {
				x := v.load()
				v.store(x + 1)
				if y := v.load(); y != x+1 {
					t.Errorf("%d, and not %d", y, x+1)
				}
			})
		})...)
	}
}

// diners eat between taking the forks and putting them back. Mended, a waiter lets only n-1 of them sit down.
func diners(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		forks := make([]tasksync.Mutex, n)
		seats := tasksync.NewSemaphore(int64(n - 1))
		all := make([]func(), n)
		for i := range all {
			left, right := &forks[i], &forks[(i+1)%n]
			all[i] = func() {
				if fixed {
					_ = seats.Acquire(bg, 1)
					defer seats.Release(1)
				}
				under(left, func() { under(right, func() { t.Point("eats") }) })
			}
		}
		together(all...)
	}
}
