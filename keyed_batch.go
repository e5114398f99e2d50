package lockstep

import (
	"context"

	"github.com/lockstep-go/lockstep/internal/gid"
)

// KeyedBatch collects operations and sends them together, to each worker those of its keys. What it costs to hand
// something to a worker is then paid once for many operations. It is for one goroutine or task at a time.
// [Keyed.Batch] makes it.
type KeyedBatch[K comparable] struct {
	k     *Keyed[K]
	parts [][]op[K, func()]
}

// Batch returns an empty batch.
func (k *Keyed[K]) Batch() *KeyedBatch[K] {
	b := &KeyedBatch[K]{k: k, parts: make([][]op[K, func()], len(k.lanes))}
	for i := range b.parts {
		b.parts[i] = make([]op[K, func()], 0, batchMost)
	}
	return b
}

// Go adds an operation of key. It is sent by the next Send, or before that if many have come together. Operations
// of a key begin in the order of the calls. In a bounded pool that is full, it sends what is there and waits for room.
// It panics if f is nil, or if it sends and the pool is closed.
//
//go:noinline
func (b *KeyedBatch[K]) Go(key K, f func()) {
	mustFunc(f == nil, "KeyedBatch.Go")
	if c := b.k.q.Capacity(); c != nil && !c.Try() {
		b.Send() // the places of what is collected would never become free
		if err := c.Acquire(context.Background()); err != nil {
			mustSend(err, "KeyedBatch.Go")
			return
		}
	}
	i := b.k.lane(key)
	b.parts[i] = append(b.parts[i], op[K, func()]{key: key, f: f})
	if len(b.parts[i]) == batchMost {
		b.send(i, gid.CallerPC())
	}
}

// Send sends what was added. It does not wait. It panics if there is something and the pool is closed.
//
//go:noinline
func (b *KeyedBatch[K]) Send() {
	pc := gid.CallerPC()
	for i := range b.parts {
		if len(b.parts[i]) > 0 {
			b.send(i, pc)
		}
	}
}

func (b *KeyedBatch[K]) send(i int, pc uintptr) {
	n := len(b.parts[i])
	part, err := b.k.lanes[i].send(b.parts[i], pc)
	b.parts[i] = part
	releaseIf(err, b.k.q, n)
	mustSend(err, "KeyedBatch")
}
