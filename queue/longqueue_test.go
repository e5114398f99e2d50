package queue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestD23LongQueue (glommio#539): a queue with a thousand ready tasks does not run
// them all before it gives way. A window of four quanta shows both queues.
func TestD23LongQueue(t *testing.T) {
	const quantum, window = 10 * ms, 40 * ms
	w := newWorker(t, quantum)
	w.keep = true
	long, short := w.lane("long", 100), w.lane("short", 100)
	for range 1000 {
		long.spawn("t", busy(100*us))
	}
	short.spawn("steps", spin(100*us))
	w.run(time.Second)
	requireShortWaits(t, w, short, quantum+100*us)
	for at := window; at <= time.Second-window; at += window {
		used := w.usedBetween(long, at, at+window)
		require.InDelta(t, window/2, used, float64(window)/5, "from %v", at)
	}
}

// TestD23LongQueueWithShares is the same with shares of 9 to 1.
func TestD23LongQueueWithShares(t *testing.T) {
	const quantum = 10 * ms
	w := newWorker(t, quantum)
	long, short := w.lane("long", 900), w.lane("short", 100)
	for range 1000 {
		long.spawn("t", busy(100*us))
	}
	short.spawn("steps", spin(100*us))
	w.run(10 * time.Second)
	require.InDelta(t, 90, long.percent(), 2)
	require.InDelta(t, 10, short.percent(), 2)
}

// usedBetween returns how much of a stretch of time the queue's visits fill.
func (w *worker) usedBetween(l *lane, from, to time.Duration) (d time.Duration) {
	for _, v := range w.visits {
		if v.lane == l {
			d += max(0, min(v.to, to)-max(v.from, from))
		}
	}
	return d
}
