// Package membarrier makes every thread of the process pass a full memory barrier.
//
// It is for two sides that each write a word of their own and then look at the other's, of which one does so all the time and the other hardly ever. The frequent
// one stores plainly and loads; the rare one stores, calls All, and loads. Take the frequent side's store S and load L, in program order, and the barrier B that All
// forces on its thread: if S comes before B, the rare side, which loads after B, sees it; if S comes after B, so does L, which then sees what the rare side
// stored before B. There is no third case. The processor may move L before S, but not both across B. A thread that is not running has passed a barrier when
// it was taken off its processor.
//
// The idea is the asymmetric fence of liburcu and folly.
package membarrier

// Supported reports whether All works here. It does not change.
func Supported() bool { return supported }

// All returns when every running thread has passed a full memory barrier: about 6 µs while others run. Where it is
// not Supported it does nothing.
func All() { all() }
