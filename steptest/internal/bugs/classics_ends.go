package bugs

import (
	"errors"
	"sync"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

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
