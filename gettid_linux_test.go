package lockstep_test

import "syscall"

// gettid identifies the calling thread.
func gettid() int { return syscall.Gettid() }
