// Package invariants switches the self-checks of the scheduler on and off.
//
// A check is written as
//
//	if invariants.Enabled {
//		invariants.Check(q.n >= 0, "I3: a queue holds %d tasks", q.n)
//	}
//
// and costs nothing without the build tag "invariants": Enabled is then a
// false constant and the compiler drops the branch. The numbers I1..In are
// listed in docs/invariants.md.
package invariants

import "fmt"

// Check panics with the formatted text when ok is false.
func Check(ok bool, format string, args ...any) {
	if !ok {
		panic("lockstep: invariant broken: " + fmt.Sprintf(format, args...))
	}
}
