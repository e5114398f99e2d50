//go:build !race

package lockstep_test

import (
	"os"
	"testing"
	"time"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
)

// The tests in step_*_test.go try schedules with points inside of the library: each says in one line what holds in all of them. That nobody waits for ever is a
// part of each: a wake-up that is lost is a deadlock, or a task that is left.
//
// The tasks count in plain variables, since they are stepped: what they see of each other there is a race to the detector, which these tests are not for.

// steps tries schedules of body, for as long as LOCKSTEP_STRESS says, if it does.
func steps(t *testing.T, body func(t *steptest.T), opts ...steptest.Option) {
	t.Helper()
	opts = append(opts, steptest.Fine(), steptest.NoCorpus())
	if d, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS")); err == nil {
		opts = append(opts, steptest.For(d/20))
	}
	steptest.Run(t, body, opts...)
}

// inAnyOrder runs the functions as tasks, in any order, and waits for them.
func inAnyOrder(fs ...func()) {
	var g lockstep.Group
	for _, f := range fs {
		g.Go(func() error { f(); return nil })
	}
	_ = g.Wait()
}
