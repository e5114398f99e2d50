package bugs

import (
	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Classics are mistakes with the parts of Go's standard library that every reviewer has met.
func Classics() []Program {
	const source = "Go classics"
	return []Program{
		{Name: "once-reentered", Source: source, Kind: "deadlock", Buggy: onceReentered(false), Fixed: onceReentered(true)},
		{Name: "once-done-early", Source: source, Kind: "failure", Buggy: onceDoneEarly(false), Fixed: onceDoneEarly(true)},
		{Name: "waitgroup-add-inside", Source: source, Kind: "failure", Buggy: addInside(false), Fixed: addInside(true)},
		{Name: "reader-relocks-in-callback", Source: source, Kind: "deadlock", Buggy: readerRelocks(false), Fixed: readerRelocks(true)},
		{Name: "timeout-against-send", Source: source, Kind: "leak", Buggy: timeoutAgainstSend(false), Fixed: timeoutAgainstSend(true)},
		{Name: "timer-stop-and-drain", Source: source, Kind: "deadlock", Buggy: timerDrain(false), Fixed: timerDrain(true)},
		{Name: "timer-reset-while-it-fires", Source: source, Kind: "failure", Buggy: timerReset(false), Fixed: timerReset(true)},
		{Name: "errgroup-first-error", Source: source, Kind: "failure", Buggy: firstError(false), Fixed: firstError(true)},
		{Name: "last-one-closes", Source: source, Kind: "deadlock", Buggy: lastOneCloses(false), Fixed: lastOneCloses(true)},
		{Name: "send-after-close", Source: source, Kind: "failure", Buggy: sendAfterClose(false), Fixed: sendAfterClose(true)},
	}
}

// onceReentered calls a function once, under a lock, and that asks a logger, which, as long as it has not been set up, calls the same.
// Mended, it is set up first.
func onceReentered(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		var logs cell[bool]
		called := false
		var load func()
		log := func() {
			if !logs.load() {
				load()
			}
		}
		load = func() {
			under(&mu, func() {
				if !called {
					log()
					called = true
				}
			})
		}
		logs.v = fixed
		together(func() { logs.store(true) }, load)
	}
}

// onceDoneEarly says that it has been done before it has. Mended, it says so afterwards.
func onceDoneEarly(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var ready cell[bool]
		var value cell[int]
		get := func() {
			if !ready.load() {
				under(&mu, func() {
					if ready.load() {
						return
					}
					if !fixed {
						ready.store(true)
					}
					value.store(1)
					if fixed {
						ready.store(true)
					}
				})
			}
			if value.load() != 1 {
				t.Error("used before it was made")
			}
		}
		together(get, get)
	}
}

// addInside counts a task in the task itself, so that whoever waits may come first. Mended, it is counted before.
func addInside(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var wg tasksync.WaitGroup
		results := 0
		for range 2 {
			if fixed {
				wg.Add(1)
			}
			lockstep.Go(func() {
				if !fixed {
					wg.Add(1)
				}
				results++
				wg.Done()
			})
		}
		wg.Wait()
		if results != 2 {
			t.Errorf("%d of 2 results", results)
		}
	}
}

// readerRelocks goes through a table with the lock held for reading, and calls a function given by the caller for each, which asks the table how long it is. Mended,
// it goes through a copy.
func readerRelocks(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.RWMutex
		table := []int{1, 2}
		length := func() int {
			mu.RLock()
			defer mu.RUnlock()
			return len(table)
		}
		each := func(f func(int)) {
			mu.RLock()
			all := table
			if fixed {
				mu.RUnlock()
			}
			for _, v := range all {
				f(v)
			}
			if !fixed {
				mu.RUnlock()
			}
		}
		reader := func() { each(func(int) { _ = length() }) }
		together(reader, reader, func() {
			mu.Lock()
			table = append(table[:2:2], 3)
			mu.Unlock()
		})
	}
}
