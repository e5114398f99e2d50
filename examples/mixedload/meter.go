package main

import (
	"time"

	"go.uber.org/atomic"
)

// meter adds up the CPU time of the two classes by clocks around the work itself. It serves the modes that
// cannot be asked: a goroutine has no CPU clock, and the clock of the thread below it counts whatever else
// ran there after a preemption.
//
// Clocks around the work read wall time, so a piece of work that was preempted would count its waiting too.
// Pieces are short and alike, preemptions cost milliseconds, and so a piece that took implausibly long counts
// as an average one.
type meter struct {
	urgent, bulk atomic.Duration
}

const (
	// implausible is how many times the mean a piece may take. The slowest honest pieces of the bulk work,
	// those in which the compressor writes a block out, take about six times the mean.
	implausible = 8
	// firstPiece bounds a piece before there is a mean.
	firstPiece = time.Millisecond
)

// plausible returns took, or the mean where took must hold a preemption.
func plausible(took, mean time.Duration) time.Duration {
	if mean <= 0 {
		return min(took, firstPiece)
	}
	if took > implausible*mean {
		return mean
	}
	return took
}
