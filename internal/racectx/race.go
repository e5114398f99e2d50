//go:build race && amd64

package racectx

import (
	"runtime"
	"unsafe"
)

// Enabled says whether the program is built for the race detector, on a platform where contexts can be exchanged.
const Enabled = true

// Get returns the context of the calling goroutine. [Supported] is true.
func Get() uintptr

// Swap gives the calling goroutine the context ctx and returns the one that it had. [Supported] is true.
func Swap(ctx uintptr) uintptr

// code returns the first bytes of the runtime's racefuncexit.
func code() uint64

// offset is where in the record of a goroutine its context is, 0 if that is not known.
var offset = offsetIn(code())

// offsetIn takes the offset out of MOVQ offset(R14), DI.
func offsetIn(code uint64) uintptr {
	const movq, most = 0xbe8b49, 1 << 12 // the record is smaller than that
	if at := uintptr(code >> 24 & 0xffffffff); code&0xffffff == movq && at < most && at%8 == 0 {
		return at
	}
	return 0
}

// Supported reports whether contexts can be exchanged.
func Supported() bool { return offset != 0 }

// Acquire tells the detector that the calling goroutine knows from now on what was released at p.
func Acquire[T any](p *T) { runtime.RaceAcquire(unsafe.Pointer(p)) }

// Release tells it that all this goroutine knows now can be acquired at p, and nothing that was released there before.
func Release[T any](p *T) { runtime.RaceRelease(unsafe.Pointer(p)) }

// ReleaseMerge is Release in addition to what was released there before.
func ReleaseMerge[T any](p *T) { runtime.RaceReleaseMerge(unsafe.Pointer(p)) }

// Reports returns how many races the detector has reported.
func Reports() int { return runtime.RaceErrors() }
