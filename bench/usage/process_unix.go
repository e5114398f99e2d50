//go:build unix

package usage

import (
	"syscall"
	"time"
)

// Own returns what this process has taken. ok is false where the system does not tell.
func Own() (p Process, ok bool) {
	var self, children syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &self) != nil || syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children) != nil {
		return p, false
	}
	return Process{
		CPU:      time.Duration(self.Utime.Nano() + self.Stime.Nano()),
		Children: time.Duration(children.Utime.Nano() + children.Stime.Nano()),
		Switches: int64(self.Nvcsw),
	}, true
}
