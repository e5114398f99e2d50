package workload

import "fmt"

// verify panics when a program under measurement has computed something wrong: a figure of it would be a lie, and there
// is nothing to measure any more.
func verify(right bool, format string, args ...any) {
	if !right {
		panic("bench: " + fmt.Sprintf(format, args...))
	}
}
