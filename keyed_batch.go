package lockstep

import (
	"context"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// KeyedBatch collects operations and sends them together, to each worker those of its keys. What it costs to hand
// something to a worker is then paid once for many operations. It is for one goroutine or task at a time.
// [Keyed.Batch] makes it.
type KeyedBatch[K comparable] struct {
	batch[K, func()]
	k *Keyed[K]
}

// Batch returns an empty batch.
func (k *Keyed[K]) Batch() *KeyedBatch[K] {
	b := &KeyedBatch[K]{k: k}
	lanes := make([]*lane[K, func()], len(k.lanes))
	for i := range lanes {
		lanes[i] = &k.lanes[i]
	}
	b.init(k.q, lanes)
	return b
}

// Go adds an operation of key. It is sent by the next Send, or before that if many have come together. Operations
// of a key begin in the order of the calls. In a bounded pool that is full, it sends what is there and waits for room.
// It panics if f is nil, or if it sends and the pool is closed.
//
//go:noinline
func (b *KeyedBatch[K]) Go(key K, f func()) {
	mustFunc(f == nil, "KeyedBatch.Go")
	i := b.k.lane(key)
	if b.add(i, op[K, func()]{key: key, f: f}) {
		b.send(i, gid.CallerPC())
	}
}

// Send sends what was added. It does not wait. It panics if there is something and the pool is closed.
//
//go:noinline
func (b *KeyedBatch[K]) Send() { b.flush(gid.CallerPC()) }

// batch is what batches are: operations, a part for each lane.
type batch[K comparable, F any] struct {
	q        *pool.Queue
	capacity *pool.Capacity
	lanes    []*lane[K, F]
	parts    [][]op[K, F]
}

func (b *batch[K, F]) init(q *pool.Queue, lanes []*lane[K, F]) {
	b.q, b.capacity, b.lanes = q, q.Capacity(), lanes
	b.parts = make([][]op[K, F], len(lanes))
}

// add adds an operation for a lane. It reports whether the lane's part is full.
func (b *batch[K, F]) add(i int, o op[K, F]) (full bool) {
	if b.capacity != nil && !b.place() {
		return false
	}
	if b.parts[i] == nil {
		b.parts[i] = make([]op[K, F], 0, batchMost)
	}
	b.parts[i] = append(b.parts[i], o)
	return len(b.parts[i]) == batchMost
}

// place takes a place in a bounded pool.
func (b *batch[K, F]) place() bool {
	if b.capacity.Try() {
		return true
	}
	b.flush(0) // the places of what is collected would never become free
	err := b.capacity.Acquire(context.Background())
	mustSend(err, "a batch")
	return err == nil
}

func (b *batch[K, F]) flush(pc uintptr) {
	for i := range b.parts {
		if len(b.parts[i]) > 0 {
			b.send(i, pc)
		}
	}
}

func (b *batch[K, F]) send(i int, pc uintptr) {
	n := len(b.parts[i])
	part, err := b.lanes[i].send(b.parts[i], pc)
	b.parts[i] = part
	releaseIf(err, b.q, n)
	mustSend(err, "a batch's Send")
}
