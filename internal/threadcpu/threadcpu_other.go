//go:build !linux

package threadcpu

const supported = false

func self() int { return 0 }

func cpuTime(int) (int64, bool) { return 0, false }

func runnable(int) (yes, ok bool) { return false, false }
