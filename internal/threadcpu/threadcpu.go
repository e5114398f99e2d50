// Package threadcpu reads how much CPU time another thread of the process has used.
//
// It tells a thread that blocks from one that computes, which the clock on the wall
// cannot. A reading is a system call, 1-2 µs. Where the system offers no such
// clock, [Supported] is false and nothing is known.
package threadcpu

// Supported says whether this system has clocks of other threads.
const Supported = supported

// Self returns the calling thread's identity, which is meaningful while the thread lives. The
// goroutine must be locked to it. It is 0 where it is not known.
func Self() int { return self() }

// Time returns the CPU time that a thread has used, in nanoseconds; ok is false when the
// thread has ended or nothing is known.
func Time(thread int) (ns int64, ok bool) { return cpuTime(thread) }

// Runnable reports whether a thread runs or waits for a processor, as opposed to for
// something else; ok is false when the thread has ended or nothing is known. It costs about 10 µs.
func Runnable(thread int) (yes, ok bool) { return runnable(thread) }
