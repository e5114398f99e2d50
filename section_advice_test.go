package lockstep_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// Sections that were moved and took no time are advised against: once for each place in the code. In a bubble they take
// exactly the time they sleep.
func TestShortMovedSectionsAreNamedInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer // read after Close
		p := workers(t, 1, lockstep.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		inTask(p, func(context.Context) {
			for i := range 300 {
				lockstep.BlockInPlace(func() {}, move)
				_, _ = lockstep.BlockInPlaceValue(func() (int, error) { return 0, nil }, move)
				lockstep.BlockInPlace(func() { time.Sleep(time.Millisecond) }, move)
				lockstep.BlockInPlace(func() { time.Sleep(time.Duration(1-i%2) * time.Millisecond) }, move) // half of them
			}
		})
		require.NoError(t, p.Close())
		require.Equal(t, 2, strings.Count(log.String(), "mostly shorter than moving costs"), log.String())
		require.Equal(t, 2, strings.Count(log.String(), "section_advice_test.go:"))
		require.Equal(t, uint64(750), p.Stats().Overflow.Short)
	})
}

// A section that waits for a place gives up when its context ends, one that has begun runs to its end, and an ended context
// begins none.
func TestSectionGivesUpWaitingForAPlace(t *testing.T) {
	p := workers(t, 1, lockstep.WithOverflow(1))
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(bg)
	began, gate := make(chan struct{}), make(chan struct{})
	first := lockstep.Spawn(p.Context(bg), func(context.Context) (bool, error) {
		ran := false
		err := lockstep.BlockInPlaceContext(ctx, func() { close(began); <-gate; ran = true }, move)
		return ran, err
	})
	<-began
	second := lockstep.Spawn(p.Context(bg), func(context.Context) (bool, error) {
		ran := false
		err := lockstep.BlockInPlaceContext(ctx, func() { ran = true }, move)
		return ran, err
	})
	until(func() bool { return p.Stats().Overflow.Queued == 1 })
	cancel(why)
	ran, err := second.Wait(bg)
	require.False(t, ran)
	require.Equal(t, why, err)
	close(gate)
	ran, err = first.Wait(bg)
	require.True(t, ran)
	require.NoError(t, err)
	inTask(p, func(context.Context) {
		for _, flag := range []lockstep.BlockOption{move, stay} {
			require.Equal(t, why, lockstep.BlockInPlaceContext(ctx, func() { t.Error("ran") }, flag))
			done := false
			require.NoError(t, lockstep.BlockInPlaceContext(bg, func() { done = true }, flag))
			require.True(t, done)
		}
	})
	done := false
	require.NoError(t, lockstep.BlockInPlaceContext(bg, func() { done = true }), "outside a task")
	require.True(t, done)
	require.NoError(t, p.Close())
	s := p.Stats().Overflow
	require.Equal(t, uint64(1), s.Cancelled)
	require.Zero(t, s.Queued)
	require.Zero(t, s.Running)
}
