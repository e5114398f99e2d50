package main

import (
	"runtime/metrics"
	"sync"
	"time"
)

// sample is the state of the counters at one time since the load began. The counters only grow; rates come
// from differences over the times at which the samples were really taken, so a sampler that is itself late on
// a full machine makes them coarser, not wrong.
type sample struct {
	at           time.Duration
	urgent, bulk time.Duration // CPU time
	bytes        int64         // of bulk work done
	memory       uint64        // bytes
}

const sampleEvery = 100 * time.Millisecond

// sampler takes samples until it is finished.
type sampler struct {
	b     *bulk
	run   runner
	meter *meter
	begun time.Time
	stop  chan struct{}
	ended chan struct{}

	mu      sync.Mutex
	samples []sample
}

func startSampler(b *bulk, run runner, m *meter) *sampler {
	s := &sampler{b: b, run: run, meter: m, begun: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	s.take()
	go s.loop()
	return s
}

// finish takes the last sample; after it the samples may be read.
func (s *sampler) finish() {
	close(s.stop)
	<-s.ended
	s.take()
}

func (s *sampler) loop() {
	defer close(s.ended)
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			s.take()
		}
	}
}

func (s *sampler) take() {
	one := sample{at: time.Since(s.begun), bytes: s.b.bytes.Load(), memory: memoryInUse()}
	var ok bool
	if one.urgent, one.bulk, ok = s.run.cpu(); !ok {
		one.urgent, one.bulk = s.meter.urgent.Load(), s.meter.bulk.Load()
	}
	s.mu.Lock()
	s.samples = append(s.samples, one)
	s.mu.Unlock()
}

// recent is the bulk rate over the last second or so, for the live line.
func (s *sampler) recent() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.samples)
	return window{s.samples[max(0, n-10):n]}.bulkRate()
}

// memoryInUse is what the Go runtime holds of the system: heap, stacks and its own structures, without what
// it has given back. It is read from runtime/metrics because that works alike on every system; threads' own
// stacks are not in it.
func memoryInUse() uint64 {
	read := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(read)
	return read[0].Value.Uint64() - read[1].Value.Uint64()
}

// window is a run of consecutive samples.
type window struct{ samples []sample }

// between returns the samples from one time to another. It reaches over both by as little as it can when there
// would be fewer than two samples, which is the least that gives a rate.
func between(all []sample, from, to time.Duration) window {
	lo, hi := 0, len(all)-1
	for lo < len(all)-2 && all[lo].at < from {
		lo++
	}
	for hi > lo+1 && all[hi].at > to {
		hi--
	}
	return window{all[lo : hi+1]}
}

// seconds is the time from the first sample to the last, and never 0.
func (w window) seconds() float64 {
	if len(w.samples) < 2 {
		return 1
	}
	return max((w.last().at - w.samples[0].at).Seconds(), 1e-9)
}

func (w window) last() sample { return w.samples[len(w.samples)-1] }

// bulkRate is in MB/s of input.
func (w window) bulkRate() float64 {
	if len(w.samples) < 2 {
		return 0
	}
	return float64(w.last().bytes-w.samples[0].bytes) / 1e6 / w.seconds()
}

// cpu is the share of the given number of CPUs that each class had, from 0 to 1.
func (w window) cpu(procs int) (urgent, bulk float64) {
	if len(w.samples) < 2 {
		return 0, 0
	}
	all := w.seconds() * float64(procs)
	first, last := w.samples[0], w.last()
	return (last.urgent - first.urgent).Seconds() / all, (last.bulk - first.bulk).Seconds() / all
}

func (w window) peak() (bytes uint64) {
	for _, s := range w.samples {
		bytes = max(bytes, s.memory)
	}
	return bytes
}
