//go:build !linux

package main

import (
	"context"
	"time"
)

// sleepUntil returns when that long has passed since start, at once if it has, or when the context ends.
func sleepUntil(ctx context.Context, start time.Time, at time.Duration) {
	left := at - time.Since(start)
	if left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
