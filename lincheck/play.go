package lincheck

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// Client is one task or goroutine of a play. It belongs to that one alone.
type Client struct {
	// Rand is seeded; the seed is printed with a history that is not linearizable.
	*rand.Rand

	id     int
	clock  *atomic.Int64
	ops    []porcupine.Operation
	cancel atomic.Pointer[context.CancelFunc] // of the last Context
	others []*Client
}

// Do calls f, which does what input says and returns what came out, and records it.
func (c *Client) Do(input any, f func() (output any)) any {
	// The clock is a counter: it orders calls and returns as they happened, which is all that counts.
	op := porcupine.Operation{ClientId: c.id, Input: input, Call: c.clock.Inc()}
	op.Output = f()
	op.Return = c.clock.Inc()
	c.ops = append(c.ops, op)
	return op.Output
}

// Dawdle gives way now and then.
func (c *Client) Dawdle() {
	switch c.IntN(4) {
	case 0:
		lockstep.Yield()
	case 1:
		runtime.Gosched()
	}
}

// Context returns a context for one call: one that can't end, one that has ended, or one that any client may end
// by Disturb at any time.
func (c *Client) Context() (context.Context, context.CancelFunc) {
	kind := c.IntN(8)
	if kind < 3 {
		return context.Background(), func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if kind == 3 {
		cancel()
	}
	c.cancel.Store(&cancel)
	return ctx, cancel
}

// Disturb gives way now and then, or ends what some client has from Context.
func (c *Client) Disturb() {
	if cancel := c.others[c.IntN(len(c.others))].cancel.Load(); cancel != nil && c.IntN(3) == 0 {
		(*cancel)()
		return
	}
	c.Dawdle()
}

// Check plays rounds on pools of 1, 2 and 4 workers, locked and floating, with that many clients, and fails the test with the history of a
// round that the model does not explain. If LOCKSTEP_STRESS is a duration, it plays for as long as that at least. begin makes a fresh thing for a round and returns what each client does with it. A
// round should have no more than some sixty operations: the search is exponential in how many overlap.
func Check(t *testing.T, model porcupine.Model, rounds, clients int, begin func() func(c *Client)) {
	t.Helper()
	long, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS"))
	if err != nil {
		long = 0
	}
	for _, workers := range []int{1, 2, 4} {
		for _, locked := range []bool{true, false} {
			t.Run(fmt.Sprintf("workers=%d,locked=%v", workers, locked), func(t *testing.T) {
				p, err := lockstep.New(lockstep.WithWorkers(workers), lockstep.WithLockOSThread(locked))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = p.Close() }()
				started := time.Now()
				for i := 0; i < rounds || time.Since(started) < long/6; i++ {
					seed := rand.Uint64()
					ops := Play(p, seed, clients, begin())
					if !porcupine.CheckOperations(model, ops) {
						t.Fatalf("seed %d: not linearizable:\n%s", seed, Describe(model, ops))
					}
				}
			})
		}
	}
}

// Play plays one round and returns its history.
func Play(p *lockstep.Pool, seed uint64, clients int, act func(c *Client)) []porcupine.Operation {
	clock := new(atomic.Int64)
	all := make([]*Client, clients)
	var ends sync.WaitGroup
	for i := range all {
		c := &Client{Rand: rand.New(rand.NewPCG(seed, uint64(i))), id: i, clock: clock, others: all}
		all[i] = c
	}
	for i, c := range all {
		ends.Add(1)
		one := func() { defer ends.Done(); act(c) }
		if i%2 == 0 {
			p.Go(one)
		} else {
			go one()
		}
	}
	ends.Wait()
	var ops []porcupine.Operation
	for _, c := range all {
		ops = append(ops, c.ops...)
	}
	return ops
}

// Describe is the history in the order of the calls, one line for each.
func Describe(model porcupine.Model, ops []porcupine.Operation) (text string) {
	ops = slices.Clone(ops)
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	for _, op := range ops {
		what := fmt.Sprintf("%v -> %v", op.Input, op.Output)
		if model.DescribeOperation != nil {
			what = model.DescribeOperation(op.Input, op.Output)
		}
		text += fmt.Sprintf("%4d-%-4d client %d: %s\n", op.Call, op.Return, op.ClientId, what)
	}
	return text
}
