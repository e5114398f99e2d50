package lincheck_test

import (
	"context"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/lincheck"
	"github.com/lockstep-go/lockstep/tasksync"
)

// change takes n units of a lock or semaphore, or gives them back if n is negative.
type change struct {
	n     int
	try   bool
	early bool // the wait may end early
}

// units is the model: of a mutex there is one, of a semaphore there are some, and a writer takes all of an RWMutex. What is
// refused has changed nothing. A try is refused only while there is too little, if refusals are to be explained: they may as
// well come from someone who waits, where waits end early or ask for more than one unit.
func units(size int, explained bool) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return size },
		Step: func(state, input, output any) (bool, any) {
			free, c, got := state.(int), input.(change), output.(bool)
			switch {
			case c.n < 0:
				return free-c.n <= size, free - c.n
			case got:
				return free >= c.n, free - c.n
			case c.try:
				return !explained || free < c.n, free
			}
			return c.early, free
		},
	}
}

var bg = context.Background()

// lock is what a client drives.
type lock struct {
	take func(ctx context.Context, n int) error
	try  func(n int) bool
	give func(n int)
}

// act takes and gives back, in one way or another, some times.
func act(c *lincheck.Client, l lock, early bool, amounts ...int) {
	for range 4 {
		n := amounts[c.IntN(len(amounts))]
		do := change{n: n, try: c.IntN(3) == 0}
		do.early = early && !do.try && c.IntN(2) == 0
		got := c.Do(do, func() any {
			switch {
			case do.try:
				return l.try(n)
			case do.early:
				ctx, cancel := context.WithCancel(bg)
				if c.IntN(2) == 0 {
					go cancel()
				} else {
					defer cancel()
				}
				return l.take(ctx, n) == nil
			}
			return l.take(bg, n) == nil
		})
		c.Dawdle()
		if got.(bool) {
			c.Do(change{n: -n}, func() any { l.give(n); return true })
		}
	}
}

const (
	rounds  = 60
	clients = 6
)

func TestStressMutex(t *testing.T) {
	for _, early := range []bool{false, true} {
		// Its waiters never keep it locked, so a refusal is explained in any case.
		lincheck.Check(t, units(1, true), rounds, clients, func() func(c *lincheck.Client) {
			var m tasksync.Mutex
			l := lock{
				take: func(ctx context.Context, _ int) error {
					if ctx == bg {
						m.Lock()
						return nil
					}
					return m.LockContext(ctx)
				},
				try:  func(int) bool { return m.TryLock() },
				give: func(int) { m.Unlock() },
			}
			return func(c *lincheck.Client) { act(c, l, early, 1) }
		})
	}
}

func TestStressRWMutex(t *testing.T) {
	const all = 100 // readers
	for _, early := range []bool{false, true} {
		lincheck.Check(t, units(all, false), rounds, clients, func() func(c *lincheck.Client) {
			var rw tasksync.RWMutex
			l := lock{
				take: func(ctx context.Context, n int) error {
					switch {
					case n < all && ctx == bg:
						rw.RLock()
						return nil
					case n < all:
						return rw.RLockContext(ctx)
					case ctx == bg:
						rw.Lock()
						return nil
					}
					return rw.LockContext(ctx)
				},
				try: func(n int) bool {
					if n < all {
						return rw.TryRLock()
					}
					return rw.TryLock()
				},
				give: func(n int) {
					if n < all {
						rw.RUnlock()
					} else {
						rw.Unlock()
					}
				},
			}
			return func(c *lincheck.Client) { act(c, l, early, 1, 1, all) }
		})
	}
}

func TestStressSemaphore(t *testing.T) {
	for _, kind := range []struct {
		early   bool
		amounts []int
	}{{false, []int{1}}, {false, []int{1, 2, 3}}, {true, []int{0, 1, 2, 3}}} {
		explained := !kind.early && len(kind.amounts) == 1
		lincheck.Check(t, units(3, explained), rounds, clients, func() func(c *lincheck.Client) {
			s := tasksync.NewSemaphore(3)
			l := lock{
				take: func(ctx context.Context, n int) error { return s.Acquire(ctx, int64(n)) },
				try:  func(n int) bool { return s.TryAcquire(int64(n)) },
				give: func(n int) { s.Release(int64(n)) },
			}
			return func(c *lincheck.Client) { act(c, l, kind.early, kind.amounts...) }
		})
	}
}

// What a check finds: histories that no order explains.
func TestFaultsAreFound(t *testing.T) {
	op := func(client int, in change, out bool, call, ret int64) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: in, Output: out, Call: call, Return: ret}
	}
	take, give := change{n: 1}, change{n: -1}
	for name, h := range map[string][]porcupine.Operation{
		"two have it":          {op(0, take, true, 1, 2), op(1, take, true, 3, 4)},
		"refused while free":   {op(0, take, true, 1, 2), op(0, give, true, 3, 4), op(1, change{n: 1, try: true}, false, 5, 6)},
		"given twice":          {op(0, take, true, 1, 2), op(0, give, true, 3, 4), op(1, give, true, 3, 4)},
		"ended without reason": {op(0, take, false, 1, 2)},
	} {
		require.False(t, porcupine.CheckOperations(units(1, true), h), name)
	}
	require.True(t, porcupine.CheckOperations(units(1, true), []porcupine.Operation{
		op(0, take, true, 1, 2), op(1, take, true, 3, 6), op(0, give, true, 4, 5), op(2, change{n: 1, try: true}, false, 6, 7),
	}))
}
