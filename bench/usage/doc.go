// Package usage reads how much CPU time this process and the whole machine have taken.
package usage

import "time"

// Process is what this process has taken since it began.
type Process struct {
	// CPU is its time on processors, in user mode and in the kernel.
	CPU time.Duration
	// Children is the same of the processes that it started and that have ended.
	Children time.Duration
	// Switches are its voluntary context switches: how often a thread of it has gone to sleep, and so how often one
	// was woken.
	Switches int64
}
