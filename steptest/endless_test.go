package steptest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// Two tasks that make way for one another for ever.
func TestLivelock(t *testing.T) {
	r := outcome("TestLivelock", func(*steptest.T) {
		var a, b tasksync.Mutex
		try := func(first, second *tasksync.Mutex) {
			for {
				first.Lock()
				if second.TryLock() {
					return
				}
				first.Unlock()
				lockstep.Yield()
			}
		}
		a.Lock() // and never unlocks it
		lockstep.Go(func() { try(&b, &a) })
		lockstep.Go(func() { try(&b, &a) })
	}, steptest.MaxSteps(500))
	require.True(t, r.failed)
	require.Contains(t, r.text, "steptest: livelock")
}

// lifo is a lock made by hand that lets the newest go first.
type lifo struct {
	taken bool
	stack []*chans.Oneshot[int]
}

func (l *lifo) lock() {
	if !l.taken {
		l.taken = true
		return
	}
	o := new(chans.Oneshot[int])
	l.stack = append(l.stack, o)
	_, _ = o.Receive(context.Background())
}

func (l *lifo) unlock() {
	if n := len(l.stack); n > 0 {
		o := l.stack[n-1]
		l.stack = l.stack[:n-1]
		o.Send(1)
		return
	}
	l.taken = false
}

// Two tasks pass it to one another, and the third, who came before, waits for ever, also if all take turns.
func TestStarvation(t *testing.T) {
	r := outcome("TestStarvation", func(*steptest.T) {
		var l lifo
		l.lock()
		lockstep.Go(func() { l.lock(); l.unlock() })
		for len(l.stack) < 1 {
			lockstep.Yield()
		}
		for range 2 {
			lockstep.Go(func() {
				for {
					l.lock()
					lockstep.Yield()
					l.unlock()
				}
			})
		}
		for len(l.stack) < 3 {
			lockstep.Yield()
		}
		l.unlock()
	}, steptest.MaxSteps(2000))
	require.True(t, r.failed)
	require.Contains(t, r.text, "steptest: starvation")
	require.Contains(t, r.text, "t1 (spawned at endless_test.go:")
}
