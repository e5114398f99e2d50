//go:build unix

package usage

import (
	"syscall"
	"time"
)

// Own returns what this process has taken. ok is false where the system does not tell.
func Own() (p Process, ok bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return p, false
	}
	return Process{
		CPU:      time.Duration(u.Utime.Nano() + u.Stime.Nano()),
		Switches: int64(u.Nvcsw),
	}, true
}
