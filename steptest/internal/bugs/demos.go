package bugs

import (
	"context"

	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Demos have the shapes of the programs with which shuttle (Amazon) and Coyote (Microsoft) show what they can do.
func Demos() []Program {
	return []Program{
		{Name: "buffer-any-size", Source: "shuttle; Cargill's bounded buffer", Kind: "deadlock", Buggy: bufferAnySize(false), Fixed: bufferAnySize(true)},
		{Name: "match-keeps-lock", Source: "shuttle", Kind: "deadlock", Buggy: matchKeepsLock(false), Fixed: matchKeepsLock(true)},
		{Name: "uneven-20", Source: "shuttle", Kind: "failure", Buggy: uneven(20, false), Fixed: uneven(20, true)},
		{Name: "uneven-100", Source: "shuttle", Kind: "failure", Buggy: uneven(100, false), Fixed: uneven(100, true)},
		{Name: "semaphore-cancelled-head", Source: "shuttle", Kind: "deadlock", Buggy: cancelledHead(false), Fixed: cancelledHead(true)},
		{Name: "failure-detector", Source: "Coyote", Kind: "failure", Buggy: failureDetector(false), Fixed: failureDetector(true)},
		{Name: "coffee-machine", Source: "Coyote", Kind: "failure", Buggy: coffeeMachine(false), Fixed: coffeeMachine(true), Cap: 10_000},
	}
}

// bufferAnySize is the buffer of the kernels with how many there are on each side, and how much it holds, left to the schedule. Only some of these
// have the fault.
func bufferAnySize(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		changed := tasksync.NewCond(&mu)
		producers, consumers, size := 1+t.Choose(3), 1+t.Choose(3), 1+t.Choose(3)
		n := 0
		move := func(by, times int) func() {
			return func() {
				for range times {
					mu.Lock()
					for n+by < 0 || n+by > size {
						changed.Wait()
					}
					n += by
					if fixed {
						changed.Broadcast()
					} else {
						changed.Signal()
					}
					mu.Unlock()
				}
			}
		}
		together(append(times(producers, move(1, 2*consumers)), times(consumers, move(-1, 2*producers))...)...)
	}
}

// matchKeepsLock looks at a state under its lock and still has that lock when it does what the state asks for, as a temporary value lives to the end of
// the statement in some languages: it waits for somebody who wants to change the state. Mended, it unlocks when it has looked.
func matchKeepsLock(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		answer := chans.New[int](1)
		asked := false
		together(func() {
			mu.Lock()
			waits := asked
			if fixed {
				mu.Unlock()
			}
			if waits {
				_, _ = answer.Get()
			}
			if !fixed {
				mu.Unlock()
			}
		}, func() {
			under(&mu, func() { asked = true })
			under(&mu, func() { asked = false })
			_ = answer.Put(1)
		})
	}
}

// uneven has a task of many steps and one of a single step, which must not come between two neighbouring ones at the end of the many. Mended, a lock is around those.
func uneven(n int, fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var c cell[int]
		guarded := func(f func()) {
			if fixed {
				under(&mu, f)
			} else {
				f()
			}
		}
		together(func() {
			work(t, n)
			guarded(func() {
				c.store(1)
				c.store(0)
			})
		}, func() {
			guarded(func() {
				if c.load() != 0 {
					t.Error("seen in between")
				}
			})
		})
	}
}

// fairSemaphore lets nobody overtake who asks for much.
type fairSemaphore struct {
	mu      tasksync.Mutex
	free    int
	waiting []*request
	fixed   bool
}

type request struct {
	n       int
	granted *chans.Chan[struct{}]
}

func (s *fairSemaphore) acquire(ctx context.Context, n int) error {
	r := &request{n: n, granted: chans.New[struct{}](1)}
	under(&s.mu, func() {
		s.waiting = append(s.waiting, r)
		s.grantLocked()
	})
	_, err := r.granted.Receive(ctx)
	if err == nil {
		return nil
	}
	under(&s.mu, func() {
		for i, w := range s.waiting {
			if w == r {
				s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
				if s.fixed {
					s.grantLocked()
				}
				return
			}
		}
		s.free += n // it was granted meanwhile
		s.grantLocked()
	})
	return err
}

func (s *fairSemaphore) release(n int) {
	under(&s.mu, func() {
		s.free += n
		s.grantLocked()
	})
}

func (s *fairSemaphore) grantLocked() {
	for len(s.waiting) > 0 && s.waiting[0].n <= s.free {
		s.free -= s.waiting[0].n
		_ = s.waiting[0].granted.Put(struct{}{})
		s.waiting = s.waiting[1:]
	}
}

// cancelledHead has somebody at the head of a semaphore's queue give up. Those behind, for whom there is enough, are then not told. Mended, they are.
func cancelledHead(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		s := &fairSemaphore{free: 2, fixed: fixed}
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		_ = s.acquire(bg, 1)
		together(
			func() {
				if s.acquire(ctx, 2) == nil {
					s.release(2)
				}
			},
			func() {
				_ = s.acquire(bg, 1)
				s.release(1)
				s.release(1) // what was acquired first
			},
			cancel,
		)
	}
}
