package tasksync_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep/tasksync"
)

var errGivenUp = errors.New("given up")

// crew is those who wait for something that wakes and hands nothing over, and what the model expects of them: who waits
// in the order of arrival, and how each of the others' waits has ended.
type crew struct {
	start   func(f func())
	wait    func(ctx context.Context) error
	cancels []context.CancelCauseFunc // by number, as all the rest
	waiting []int
	want    map[int]error

	mu  sync.Mutex
	got map[int]error
}

func newCrew(t *testing.T, tasks bool, wait func(ctx context.Context) error) *crew {
	c := &crew{start: func(f func()) { go f() }, wait: wait, want: map[int]error{}, got: map[int]error{}}
	if tasks {
		c.start = mixed(t, 1, true).Go
	}
	return c
}

// come lets one more wait, who is expected to.
func (c *crew) come() {
	ctx, cancel := context.WithCancelCause(bg)
	id := len(c.cancels)
	c.cancels = append(c.cancels, cancel)
	c.waiting = append(c.waiting, id)
	c.start(func() {
		err := c.wait(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got[id] = err
	})
}

// wake expects that the first n waits end.
func (c *crew) wake(n int) {
	n = min(n, len(c.waiting))
	for _, id := range c.waiting[:n] {
		c.want[id] = nil
	}
	c.waiting = slices.Delete(c.waiting, 0, n)
}

// giveUp ends the context of one who waits, if any.
func (c *crew) giveUp(which int) {
	if len(c.waiting) == 0 {
		return
	}
	at := which % len(c.waiting)
	id := c.waiting[at]
	c.cancels[id](errGivenUp)
	c.want[id] = errGivenUp
	c.waiting = slices.Delete(c.waiting, at, at+1)
}

// problem lets everything come to rest and compares.
func (c *crew) problem() string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if maps.Equal(c.got, c.want) {
		return ""
	}
	return fmt.Sprintf("waits have ended: %v, want %v", c.got, c.want)
}

func (c *crew) dismiss() {
	for _, cancel := range c.cancels {
		cancel(errGivenUp)
	}
	synctest.Wait()
}

// playCrew runs a script in a bubble. do takes a step and tells the crew what it expects.
func playCrew(t *testing.T, c func(t *testing.T) *crew, script []step, do func(c *crew, s step)) (problem string) {
	synctest.Test(t, func(t *testing.T) {
		c := c(t)
		defer c.dismiss()
		for at, s := range script {
			do(c, s)
			if p := c.problem(); p != "" {
				problem = fmt.Sprintf("step %d, %v: %s", at, s, p)
				return
			}
		}
	})
	return problem
}

func drawKinds(rt *rapid.T, kinds ...string) []step {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
		return step{rapid.SampledFrom(kinds).Draw(rt, "kind"), rapid.Int64Range(1, 5).Draw(rt, "n")}
	}), 1, 40).Draw(rt, "script")
}

// A Signal is for the one who waits longest and has not given up, a Broadcast for all who wait, and nothing is kept for later.
func TestCondModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := drawKinds(rt, "wait", "wait", "wait", "signal", "signal", "broadcast", "cancel")
		tasks, native := rapid.Bool().Draw(rt, "tasks"), rapid.Bool().Draw(rt, "native lock")
		var cond *tasksync.Cond
		begin := func(t *testing.T) *crew {
			cond = tasksync.NewCond(new(tasksync.Mutex))
			if native {
				cond.L = new(sync.Mutex)
			}
			return newCrew(t, tasks, func(ctx context.Context) error {
				cond.L.Lock()
				defer cond.L.Unlock() // panics if a wait has come back without it
				return cond.WaitContext(ctx)
			})
		}
		require.Empty(rt, playCrew(t, begin, script, func(c *crew, s step) {
			switch s.kind {
			case "wait":
				c.come()
			case "signal":
				cond.Signal()
				c.wake(1)
			case "broadcast":
				cond.Broadcast()
				c.wake(len(c.waiting))
			case "cancel":
				c.giveUp(int(s.n))
			}
		}))
	})
}

// A wait ends when the count is 0, at once if it is already, and not before; groups are used round after round.
func TestWaitGroupModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := drawKinds(rt, "add", "done", "done", "done", "wait", "wait", "cancel")
		tasks := rapid.Bool().Draw(rt, "tasks")
		var group *tasksync.WaitGroup
		count := 0
		begin := func(t *testing.T) *crew {
			group = new(tasksync.WaitGroup)
			return newCrew(t, tasks, group.WaitContext)
		}
		require.Empty(rt, playCrew(t, begin, script, func(c *crew, s step) {
			switch s.kind {
			case "add":
				group.Add(int(s.n))
				count += int(s.n)
			case "done":
				n := min(count, int(s.n))
				group.Add(-n)
				count -= n
			case "wait":
				c.come()
			case "cancel":
				c.giveUp(int(s.n))
			}
			if count == 0 {
				c.wake(len(c.waiting))
			}
		}))
	})
}
