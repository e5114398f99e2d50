package bugs

import (
	"errors"
	"sync"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
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

// timeoutAgainstSend waits for an answer for as long as its context lets it, and whoever sends the answer waits for ever when that was too short. Mended, the channel
// has room for it.
func timeoutAgainstSend(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		room := 0
		if fixed {
			room = 1
		}
		answer := chans.New[int](room)
		ctx, cancel := lockstep.WithTimeout(bg, 10)
		defer cancel()
		lockstep.Go(func() {
			_ = lockstep.Sleep(bg, 10)
			_ = answer.Put(1)
		})
		_, _ = answer.Receive(ctx)
	}
}

// timerDrain stops a timer and, told that it was too late, takes its value out of the channel, which another task may have taken. Mended, it takes it if it is there.
func timerDrain(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		fires, stop := chans.New[int](1), done()
		timer := lockstep.AfterFunc(10, func() { _ = fires.Put(1) })
		together(func() {
			sel(chans.Recv(fires, nil), chans.Recv(stop, nil))
		}, func() {
			_ = lockstep.Sleep(bg, 10)
			if !timer.Stop() {
				if fixed {
					sel(chans.Recv(fires, nil), chans.Default(nil))
				} else {
					_, _ = fires.Get()
				}
			}
			stop.Close()
		})
	}
}

// timerReset puts off the end of a session at each request, at the time of which the timer may just have fired: Reset then starts it again, and
// the session ends although it was put off. Mended, the function looks whether it was.
func timerReset(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		until, over := t.Now().Add(10), false
		timer := lockstep.AfterFunc(10, func() {
			under(&mu, func() {
				early := t.Now().Before(until)
				if early && !fixed {
					t.Error("ended although it was put off")
				}
				over = !early
			})
		})
		_ = lockstep.Sleep(bg, 10)
		under(&mu, func() {
			if !over {
				until = t.Now().Add(10)
				timer.Reset(10)
			}
		})
		timer.Stop()
	}
}

// firstError is a group that cancels before it has kept the error for which it does; who is cancelled then has its error kept. Mended, it is kept first.
func firstError(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var once sync.Once // is quick, and at no point
		cause, cancelled := errors.New("the cause"), errors.New("cancelled")
		stop := done()
		var kept error
		fail := func(err error) {
			keep := func() {
				under(&mu, func() {
					if kept == nil {
						kept = err
					}
				})
			}
			if fixed {
				keep()
			}
			first := false
			once.Do(func() { first = true })
			if first {
				stop.Close()
			}
			if !fixed {
				keep()
			}
		}
		together(func() { fail(cause) }, func() {
			_, _ = stop.Get()
			fail(cancelled)
		})
		if kept != cause {
			t.Errorf("kept: %v", kept)
		}
	}
}

// lastOneCloses has whoever ends last close the channel, with a count that is read and written in two steps. Mended, it is one.
func lastOneCloses(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		results := chans.New[int](3)
		left := cell[int]{3}
		for i := range 3 {
			lockstep.Go(func() {
				_ = results.Put(i)
				n := 0
				if fixed {
					n = add(&left, -1)
				} else {
					n = left.load() - 1
					left.store(n)
				}
				if n == 0 {
					results.Close()
				}
			})
		}
		for range results.All(bg) {
		}
	}
}

// sendAfterClose looks whether something is closed and then sends. Mended, it takes the error of the send for an answer.
func sendAfterClose(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var closed cell[bool]
		c := chans.New[int](2)
		together(func() {
			for i := range 2 {
				if closed.load() {
					return
				}
				if err := c.Put(i); err != nil {
					if !fixed {
						t.Errorf("with native channels a panic: %v", err)
					}
					return
				}
			}
		}, func() {
			closed.store(true)
			c.Close()
		})
	}
}
