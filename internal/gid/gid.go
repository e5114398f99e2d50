// Package gid identifies the running goroutine by the address of the runtime's
// own record of it, and the code that called a function by its return address.
//
// Both are a few lines of assembly for amd64 and arm64 that read a register or a
// saved frame pointer and touch nothing. The address of a goroutine's
// record never changes while the goroutine lives: not by preemption, stack
// growth, garbage collection or under the race detector. The record of an
// ended goroutine is used again for the next one, so whoever stores the address
// must forget it before the goroutine ends. On other architectures [Get]
// returns 0, which stands for "not known", and everything behaves as outside
// a task.
package gid

import "runtime"

// Supported says whether this architecture can tell goroutines apart.
const Supported = supported

// Get returns the running goroutine's identity, 0 where it is not known.
func Get() uintptr { return get() }

// CallerPC returns the return address of the function that calls it, that is a
// place in that function's caller, or 0. The calling function must not be
// inlined and must have a frame (call something).
//
// It costs 1-3 ns, where runtime.Callers costs more than 100.
func CallerPC() uintptr { return callerPC() }

// base is an address within the program's text, from which sites are counted.
var base = func() uintptr {
	pc, _, _, _ := runtime.Caller(0)
	return pc
}()

// siteBits is how much of a site is offset; the offset is biased by half of it,
// so that code before and after base is covered: 512 MiB on either side.
const siteBits = 30

// UnknownSite is the site of code whose address does not fit.
const UnknownSite uint32 = 1

// Site packs a return address into 30 bits, never 0.
func Site(pc uintptr) uint32 {
	off := uint64(pc-base) + 1<<(siteBits-1)
	if off >= 1<<siteBits || off <= uint64(UnknownSite) || pc == 0 {
		return UnknownSite
	}
	return uint32(off)
}

// Frame returns the function, file and line of a site; ok is false when it
// is not known.
func Frame(site uint32) (f runtime.Frame, ok bool) {
	site &= 1<<siteBits - 1
	if site <= UnknownSite {
		return f, false
	}
	pc := base + uintptr(site) - 1<<(siteBits-1)
	f, _ = runtime.CallersFrames([]uintptr{pc}).Next()
	return f, f.Func != nil || f.Function != ""
}
