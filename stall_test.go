package lockstep_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// A task that holds its worker is reported to the handler and the logger: who it is, where it stands, and what
// to do about it.
func TestStallIsReported(t *testing.T) {
	for _, inSection := range []bool{false, true} {
		reports := make(chan lockstep.StallReport, 1)
		var log bytes.Buffer // written by the pool's monitor, which has ended after Close
		p, err := lockstep.New(lockstep.WithWorkers(1), lockstep.WithTaskQueue("bulk"),
			lockstep.WithStallThreshold(time.Millisecond),
			lockstep.WithStallHandler(func(r lockstep.StallReport) { reports <- r }),
			lockstep.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		require.NoError(t, err)
		gate := make(chan struct{})
		p.TaskQueue("bulk").Go(func() {
			if inSection {
				lockstep.BlockInPlace(func() { <-gate })
			} else {
				<-gate
			}
		})
		r := <-reports
		close(gate)
		require.NoError(t, p.Close())
		require.Equal(t, "bulk", r.Queue)
		require.Equal(t, 0, r.Worker)
		require.Contains(t, r.Site, "stall_test.go:")
		require.GreaterOrEqual(t, r.For, time.Millisecond)
		require.Equal(t, inSection, r.Section)
		require.Contains(t, string(r.Stack), "TestStallIsReported")
		require.Contains(t, log.String(), "a task holds its worker's thread")
		require.Equal(t, inSection, bytes.Contains(log.Bytes(), []byte("WithBlockInPlace(true) for it")))
		rescue := p.Stats().Rescue
		require.Equal(t, uint64(1), rescue.Stalls)
		require.Len(t, rescue.Worst, 1)
		require.Equal(t, r.Site, rescue.Worst[0].Site)
		require.Equal(t, inSection, rescue.Worst[0].Section)
		require.Equal(t, uint64(1), rescue.Worst[0].Stalls)
		require.GreaterOrEqual(t, rescue.Worst[0].Longest, r.For)
		require.Equal(t, rescue.Worst[0].Longest, rescue.Worst[0].Total)
	}
}
