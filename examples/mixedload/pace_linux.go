package main

import (
	"context"
	"syscall"
	"time"
)

// sleepUntil returns when that long has passed since start, at once if it has. It sleeps in the kernel,
// because Go's own timers wake through epoll, whose resolution is a millisecond, and that is longer than the
// latencies that are to be measured. Signals, of which Go's preemption sends many, cut the sleep short; hence
// the loop. One nap is at most 50 ms, so the context is noticed soon.
func sleepUntil(ctx context.Context, start time.Time, at time.Duration) {
	for ctx.Err() == nil {
		left := at - time.Since(start)
		if left <= 0 {
			return
		}
		nap := syscall.NsecToTimespec(int64(min(left, 50*time.Millisecond)))
		_ = syscall.Nanosleep(&nap, nil) // interrupted or not, the loop looks at the clock
	}
}
