package main

import (
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"
	"sync"
	"time"

	"go.uber.org/atomic"
)

const (
	// blockSize is how much a bulk task hashes and compresses between two chances to give way. With it a
	// block takes some tens of microseconds, and about 300 when the compressor ends one of its own blocks.
	blockSize = 4 << 10
	// readSize is how much it reads at once; smaller reads would measure system calls.
	readSize = 64 << 10
	// packLevel is a fast level of gzip. The default level needs up to a millisecond for one step.
	packLevel = 3
)

// bulk is the bulk work of one mode: a fixed number of lanes, each a chain of tasks, one task a file, where
// the last thing a task does is to start the next. So the number of tasks is constant without a goroutine
// that would feed them: such a feeder would itself wait for a P on a full machine, and some mode would be
// measured hungry.
type bulk struct {
	run    runner
	files  []string
	meter  *meter
	next   atomic.Int64
	stop   atomic.Bool
	lanes  sync.WaitGroup
	bytes  atomic.Int64 // read, hashed and compressed
	failed atomic.Int64 // files that could not be read any more
}

// lane is what one chain of tasks works with: bounded buffers, handed from each task to its successor.
type lane struct {
	b     *bulk
	buf   []byte
	sum   hash.Hash
	pack  *gzip.Writer
	out   io.Writer // where the compressed file goes
	lap   lap
	again func()
}

func startBulk(run runner, files []string, m *meter, lanes int) *bulk {
	b := &bulk{run: run, files: files, meter: m}
	for range lanes {
		l := newLane(b)
		b.lanes.Add(1)
		run.bulk(l.again)
	}
	return b
}

// finish stops the bulk work at the next block of every task and returns when all have ended.
func (b *bulk) finish() {
	b.stop.Store(true)
	b.lanes.Wait()
}

func newLane(b *bulk) *lane {
	l := &lane{b: b, buf: make([]byte, readSize), sum: sha256.New(), out: io.Discard, lap: lap{total: &b.meter.bulk}}
	l.pack, _ = gzip.NewWriterLevel(l.out, packLevel) // errs only for a level that does not exist
	l.again = l.task
	return l
}

// task is one bulk task: one file, then its successor.
func (l *lane) task() {
	b := l.b
	if !b.stop.Load() {
		name := b.files[int((b.next.Inc()-1)%int64(len(b.files)))]
		if _, err := l.file(name); err != nil {
			b.failed.Inc()
		}
	}
	if b.stop.Load() {
		b.lanes.Done()
		return
	}
	b.run.bulk(l.again)
}

// file hashes and compresses one file and returns its SHA-256.
func (l *lane) file(name string) (sum []byte, err error) {
	l.lap.start()
	defer l.lap.end()
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l.sum.Reset()
	l.pack.Reset(l.out)
	for {
		n, err := f.Read(l.buf)
		if !l.blocks(l.buf[:n]) {
			return nil, nil // the mode's time is up
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if err := l.pack.Close(); err != nil {
		return nil, err
	}
	return l.sum.Sum(nil), nil
}

// blocks works through what was read and gives way between the blocks; false means that it is time to stop.
func (l *lane) blocks(data []byte) bool {
	for len(data) > 0 {
		block := data[:min(blockSize, len(data))]
		data = data[len(block):]
		l.sum.Write(block)
		l.pack.Write(block) // to io.Discard, which takes everything
		l.b.bytes.Add(int64(len(block)))
		if l.b.stop.Load() {
			return false
		}
		l.lap.end()
		l.b.run.pause()
		l.lap.start()
	}
	return true
}

// lap adds up the time of pieces of work between two pauses. See meter for what it leaves out.
type lap struct {
	total *atomic.Duration
	begun time.Time
	mean  time.Duration
}

func (l *lap) start() { l.begun = time.Now() }

func (l *lap) end() {
	took := plausible(time.Since(l.begun), l.mean)
	l.mean += (took - l.mean) / 32
	l.total.Add(took)
}
