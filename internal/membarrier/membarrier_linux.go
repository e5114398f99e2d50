//go:build linux && (amd64 || arm64) && !race

package membarrier

import (
	"runtime"
	"syscall"
)

// Commands of membarrier(2).
const (
	privateExpedited         = 1 << 3
	registerPrivateExpedited = 1 << 4
)

var number = map[string]uintptr{"amd64": 324, "arm64": 283}[runtime.GOARCH]

var supported = call(registerPrivateExpedited) && call(privateExpedited)

func call(cmd uintptr) bool {
	_, _, e := syscall.RawSyscall(number, cmd, 0, 0)
	return e == 0
}

// all can't fail once it has been registered and has worked.
func all() {
	if supported && !call(privateExpedited) {
		panic("lockstep: membarrier stopped working, though it did at the start of the program")
	}
}
