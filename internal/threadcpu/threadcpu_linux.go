package threadcpu

import (
	"syscall"
	"unsafe"
)

const supported = true

func self() int { return syscall.Gettid() }

// cpuTime uses the clock of a thread as clock_gettime(2) of the kernel numbers it: the
// complement of the thread's id, shifted, and marked as of one thread and as scheduler time.
func cpuTime(thread int) (int64, bool) {
	if thread == 0 {
		return 0, false
	}
	const perThread, sched = 4, 2
	var ts syscall.Timespec
	clock := uintptr(^thread<<3 | perThread | sched)
	_, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano(), e == 0
}
