package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// counted is a runner on plain goroutines that says when there was a pause.
type counted struct {
	plain
	paused chan struct{}
}

func (c *counted) pause() {
	select {
	case c.paused <- struct{}{}:
	default:
	}
}

func TestFileIsHashedAndCompressedWhole(t *testing.T) {
	name := filepath.Join("testdata", "words.txt")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Greater(t, len(data), 2*blockSize, "several blocks")
	b := &bulk{run: &plain{}, meter: &meter{}}
	l := newLane(b)
	for range 2 { // a lane is used for file after file
		var out bytes.Buffer
		l.out = &out
		sum, err := l.file(name)
		require.NoError(t, err)
		want := sha256.Sum256(data)
		require.Equal(t, want[:], sum)
		packed, err := gzip.NewReader(&out)
		require.NoError(t, err)
		again, err := io.ReadAll(packed)
		require.NoError(t, err)
		require.Equal(t, data, again)
	}
	require.EqualValues(t, 2*len(data), b.bytes.Load())
	require.Positive(t, b.meter.bulk.Load())
}

func TestBulkRepeatsUntilStopped(t *testing.T) {
	cfg := &config{dir: "testdata", limit: 1e9}
	in, err := loadInput(t.Context(), cfg, newProgress(io.Discard))
	require.NoError(t, err)
	c := &counted{paused: make(chan struct{})}
	b := startBulk(c, in.files, &meter{}, 3)
	for b.next.Load() < int64(3*len(in.files)) {
		<-c.paused
	}
	b.finish()
	done := b.bytes.Load()
	require.Greater(t, done, in.bytes)
	require.Zero(t, b.failed.Load())
}

func TestFilesThatHaveGoneAreCounted(t *testing.T) {
	good := filepath.Join("testdata", "tiny.json")
	c := &counted{paused: make(chan struct{})}
	b := startBulk(c, []string{good, filepath.Join(t.TempDir(), "gone")}, &meter{}, 2)
	for range 10 {
		<-c.paused
	}
	b.finish()
	require.Positive(t, b.failed.Load())
}

func TestInput(t *testing.T) {
	load := func(dir string, limit int64) (*input, error) {
		return loadInput(t.Context(), &config{dir: dir, limit: limit}, newProgress(io.Discard))
	}
	in, err := load("testdata", 1e9)
	require.NoError(t, err)
	require.Len(t, in.files, 3, "the empty file is left out")
	require.False(t, in.cut)
	again, err := load("testdata", 1e9)
	require.NoError(t, err)
	require.Equal(t, in, again, "the same order each time")

	in, err = load("testdata", 100)
	require.NoError(t, err)
	require.True(t, in.cut)
	require.EqualValues(t, 100, in.bytes)
	require.Contains(t, in.String(), "cut at -limit")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = loadInput(ctx, &config{dir: "testdata", limit: 1}, newProgress(io.Discard))
	require.ErrorIs(t, err, context.Canceled)
}

func TestGoSourceIsFound(t *testing.T) {
	dir, err := goSource(t.Context())
	require.NoError(t, err)
	require.DirExists(t, dir)
}

func TestPlausible(t *testing.T) {
	require.Equal(t, firstPiece, plausible(time.Second, 0))
	require.Equal(t, 10*time.Microsecond, plausible(10*time.Microsecond, 0))
	require.Equal(t, 70*time.Microsecond, plausible(70*time.Microsecond, 10*time.Microsecond))
	require.Equal(t, 10*time.Microsecond, plausible(time.Second, 10*time.Microsecond), "preempted: counts as a mean one")
}

func TestCalibration(t *testing.T) {
	w := calibrate(urgentTarget)
	require.GreaterOrEqual(t, len(w.payload), 512)
	require.Len(t, w.want, 64)
	require.Positive(t, w.took)
}
