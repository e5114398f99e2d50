package workload

import "fmt"

// verify panics when a program under measurement has computed something wrong: a figure of it would be a lie, and there
// is nothing to measure any more.
func verify(right bool, format string, args ...any) {
	if !right {
		fail(format, args...)
	}
}

// fail is verify for loops that are measured. There it stands behind an if of its own, because the arguments of a call
// are made into interfaces, and so allocated, before it is known whether anybody wants them.
func fail(format string, args ...any) { panic("bench: " + fmt.Sprintf(format, args...)) }
