//go:build linux && (amd64 || arm64) && !race

package biased

import (
	"sync/atomic" //lockstep:allow stdatomic plain words of the asymmetric protocol, ADR 0003
	"syscall"
)

// Commands of membarrier(2).
const (
	privateExpedited         = 1 << 3
	registerPrivateExpedited = 1 << 4
)

// asymmetric says whether membarrier works here. It is set once, before any
// lock exists.
var asymmetric = func() bool {
	return membarrier(registerPrivateExpedited) && membarrier(privateExpedited)
}()

func membarrier(cmd uintptr) bool {
	_, _, e := syscall.RawSyscall(sysMembarrier, cmd, 0, 0)
	return e == 0
}

// barrier makes every running thread of this process pass a full memory barrier
// before it returns. Registered and supported, it cannot fail.
func barrier() {
	if !membarrier(privateExpedited) {
		panic("lockstep: membarrier stopped working, though it did at the start of the program")
	}
}

func acquire(p *uint32) uint32 { return atomic.LoadUint32(p) }
