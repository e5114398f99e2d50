package chans_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
)

// The tests in step_*_test.go try schedules with points inside of this package's operations: each says in one line what holds in all of them. That nobody waits for
// ever is a part of each: a wake-up that is lost is a deadlock, or a task that is left.

// steps tries schedules of body, for as long as LOCKSTEP_STRESS says, if it does.
func steps(t *testing.T, body func(t *steptest.T), opts ...steptest.Option) {
	t.Helper()
	opts = append(opts, steptest.Fine(), steptest.NoCorpus())
	if d, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS")); err == nil {
		opts = append(opts, steptest.For(d/20))
	}
	steptest.Run(t, body, opts...)
}

// all runs the functions as tasks and waits for them.
func all(fs ...func()) {
	var g lockstep.Group
	for _, f := range fs {
		g.Go(func() error { f(); return nil })
	}
	_ = g.Wait()
}

// times is f, n times.
func times(n int, f func()) func() {
	return func() {
		for range n {
			f()
		}
	}
}

// anyKind is a channel of some kind.
func anyKind(t *steptest.T) *chans.Chan[int] {
	if n := t.Choose(4); n < 3 {
		return chans.New[int](n)
	}
	return chans.Unbounded[int]()
}

// parcels are values that are sent, each once: number n of sender s is 10s+n. They are to be received once each, and by each receiver in the order of their
// numbers.
type parcels struct {
	sent, got map[int]bool
}

func newParcels() *parcels { return &parcels{map[int]bool{}, map[int]bool{}} }

// receiver returns what one receiver calls with each value.
func (p *parcels) receiver(t *steptest.T) func(v int) {
	last := map[int]int{}
	return func(v int) {
		require.False(t, p.got[v], "received twice")
		p.got[v] = true
		require.Greater(t, v%10, last[v/10], "overtaken by a later one of the same sender")
		last[v/10] = v % 10
	}
}
