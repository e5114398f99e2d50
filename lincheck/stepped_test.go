package lincheck_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// fifo is the model of a queue of ints: a put has the value as its input, a get nil.
var fifo = porcupine.Model{
	Init: func() any { return []int(nil) },
	Step: func(state, input, output any) (bool, any) {
		q := state.([]int)
		if v, ok := input.(int); ok {
			return true, append(slices.Clone(q), v)
		}
		if len(q) == 0 {
			return false, q
		}
		return output == q[0], q[1:]
	},
	Equal: func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
}

// stepped is what the histories are of.
type stepped interface {
	put(v int)
	get() int
}

type chanQueue struct{ c *chans.Chan[int] }

func (c chanQueue) put(v int) { _ = c.c.Put(v) }

func (c chanQueue) get() int {
	v, _ := c.c.Get()
	return v
}

// twoLocks is a queue that looks for its first value under one lock and takes it out under another.
type twoLocks struct {
	mu tasksync.Mutex
	q  []int
}

func (l *twoLocks) put(v int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.q = append(l.q, v)
}

func (l *twoLocks) get() int {
	for {
		l.mu.Lock()
		n := len(l.q)
		v := 0
		if n > 0 {
			v = l.q[0]
		}
		l.mu.Unlock()
		if n > 0 {
			l.mu.Lock()
			l.q = l.q[min(1, len(l.q)):]
			l.mu.Unlock()
			return v
		}
		lockstep.Yield()
	}
}

// steppedClients puts and gets from several tasks, and checks the history of the schedule.
func steppedClients(make func() stepped) func(*steptest.T) {
	return func(t *steptest.T) {
		q := make()
		var g lockstep.Group
		for i := range 2 {
			g.Go(func() error {
				for j := range 2 {
					v := 10*i + j
					t.Op(i, v, func() any { q.put(v); return nil })
				}
				return nil
			})
			g.Go(func() error {
				for range 2 {
					t.Op(2+i, nil, func() any { return q.get() })
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
		history := []porcupine.Operation{}
		for _, e := range t.History() {
			history = append(history, porcupine.Operation{ClientId: e.Client, Input: e.Input, Output: e.Output, Call: e.Call, Return: e.Return})
		}
		require.True(t, porcupine.CheckOperations(fifo, history), "not linearizable: %v", history)
	}
}

// The histories of all schedules of a channel are those of a queue.
func TestSteppedChannelsAreLinearizable(t *testing.T) {
	for _, capacity := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			steptest.Run(t, steppedClients(func() stepped { return chanQueue{chans.New[int](capacity)} }), steptest.Schedules(500))
		})
	}
	t.Run("unbounded", func(t *testing.T) {
		steptest.Run(t, steppedClients(func() stepped { return chanQueue{chans.Unbounded[int]()} }), steptest.Schedules(500))
	})
}

// A queue that is not one is found, and its schedule with it.
func TestSteppedQueueOfTwoLocksIsNot(t *testing.T) {
	r := steptest.Search(t.Name(), steppedClients(func() stepped { return new(twoLocks) }))
	require.True(t, r.Failed)
	require.Contains(t, r.Text, "not linearizable")
	t.Logf("found in schedule %d by %s", r.Schedules, r.Strategy)
}
