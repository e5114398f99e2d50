package threadcpu

import (
	"bytes"
	"strconv"
	"syscall"
)

// runnable reads the state of the thread from proc(5): R is one that runs or waits for a processor.
func runnable(thread int) (yes, ok bool) {
	if thread == 0 {
		return false, false
	}
	fd, err := syscall.Open("/proc/self/task/"+strconv.Itoa(thread)+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false, false
	}
	defer func() { _ = syscall.Close(fd) }()
	var buf [128]byte
	n, err := syscall.Read(fd, buf[:])
	if err != nil {
		return false, false
	}
	// The name before the state may hold anything, parentheses too, but what follows holds none.
	i := bytes.LastIndexByte(buf[:n], ')')
	if i < 0 || i+2 >= n {
		return false, false
	}
	return buf[i+2] == 'R', true
}
