package lockstep

import (
	"context"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"strconv"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// Sharded is one state for each worker, made, used and closed on the worker's thread, so that it needs no lock. Make one
// with [NewSharded]. All methods are safe for concurrent use, from tasks and from ordinary goroutines.
//
// An operation is sent to the worker that owns the shard and is called there with its state. Guaranteed: what one sender
// sends to a shard begins in that order, and while an operation neither yields nor waits it has the state to itself. One
// that does lets the shard's other operations go on, which may change the state meanwhile, as tasks of one thread in glommio and
// Seastar do; so operations may wait for those of other shards, and those for them. To have one after
// the other whatever they do, use a [Keyed].
//
// There are as many shards as the pool has workers when it is made, and each stays on its worker until Close. If the
// number of workers falls meanwhile, a worker with a shard takes no other new tasks but does not end; if it
// grows, the new workers have none. The pool's Close waits for the tasks that hold the states: close the Sharded first.
// On floating workers there are no threads to speak of, and an operation that has yielded may go on
// on another worker at the same time as the next: there the state needs a lock.
//
// The idea is glommio's and Seastar's sharding.
type Sharded[S any] struct {
	q      *pool.Queue
	shards []shard[S]
}

// NewSharded makes the states: open is called as a task of q on each worker, with the number of the shard. It waits for
// them. closing is called on the same thread by Close; it may be nil. If the pool is closed, or a call of open does not return,
// what was opened is closed, and the error says why. It panics if q or open is nil.
//
//go:noinline
func NewSharded[S any](q *TaskQueue, open func(shard int) S, closing func(S)) (*Sharded[S], error) {
	pc := gid.CallerPC()
	mustQueue(q, "NewSharded")
	mustFunc(open == nil, "NewSharded")
	s := &Sharded[S]{q: q.q, shards: make([]shard[S], q.q.Pool().Workers())}
	var err error
	for i := range s.shards {
		h := &s.shards[i]
		h.number, h.open, h.closing = i, open, closing
		h.lane.init(q.q, i, false, h.call)
		if e := h.start(pc); err == nil {
			err = e
		}
	}
	for i := range s.shards {
		if e := s.shards[i].opened.wait(context.Background()); err == nil {
			err = e
		}
		if e := s.shards[i].opened.err; err == nil {
			err = e
		}
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Shards returns the number of shards.
func (s *Sharded[S]) Shards() int { return len(s.shards) }

var (
	shardSeed = maphash.MakeSeed()
	shardSalt = maphash.Comparable(shardSeed, 0)
)

// ShardOf returns a number from 0 to shards-1 for a key, always the same in a process.
func ShardOf[K comparable](key K, shards int) int {
	if pool.CurrentStepper() != nil { // a schedule has to mean the same in each process
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, key)
		return int(mix(h.Sum64()) >> 32 * uint64(shards) >> 32)
	}
	return int(hashOf(shardSeed, shardSalt, key) >> 32 * uint64(shards) >> 32)
}

func (s *Sharded[S]) shard(n int, call string) *shard[S] {
	if n < 0 || n >= len(s.shards) {
		panic("lockstep: " + call + " to shard " + strconv.Itoa(n) + " of " + strconv.Itoa(len(s.shards)) + "; shards are numbered from 0")
	}
	return &s.shards[n]
}

// Send sends an operation to a shard. It does not wait for it. It waits for room in a bounded pool, in which every
// operation counts as a task, and panics if the pool or the Sharded is closed, or f is nil. To send many, a [ShardedBatch]
// is several times as fast.
//
//go:noinline
func (s *Sharded[S]) Send(shard int, f func(S)) {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Sharded.Send")
	h := s.shard(shard, "Sharded.Send")
	err := acquire(context.Background(), s.q)
	if err == nil {
		err = h.lane.send1(op[struct{}, func(S)]{f: f}, pc)
		releaseIf(err, s.q, 1)
	}
	mustSend(err, "Sharded.Send")
}

// Do calls f with the state of a shard and returns what it returns. It is a call, with the meaning of [TaskQueue.Run]: panics
// and runtime.Goexit come to the caller; f's context is derived from ctx; and without having called f, Do returns
// ErrClosed, ErrShutdown or the cause of ctx, if that ends first. On the shard's own worker, when no operation waits for its
// turn, it calls f directly.
//
//go:noinline
func (s *Sharded[S]) Do(ctx context.Context, shard int, f func(ctx context.Context, state S) error) error {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Sharded.Do")
	mustContext(ctx, "Sharded.Do")
	h := s.shard(shard, "Sharded.Do")
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if co := pool.Current(); co != nil && h.lane.nothingWaits(co) {
		return f(ctx, h.state)
	}
	return do(ctx, s.q, func(ctx context.Context) error { return f(ctx, h.state) }, func(c *call) error {
		return h.lane.send1(op[struct{}, func(S)]{f: func(S) { c.run() }, drop: c.dropped}, pc)
	})
}

// Close waits for all operations that were sent, calls closing for every state on its thread, and returns nil when that is
// done. It may be called any number of times. It must not be called from an operation, which it would wait for.
func (s *Sharded[S]) Close() error {
	for i := range s.shards {
		s.shards[i].stop()
	}
	for i := range s.shards {
		if err := s.shards[i].ended.wait(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// ShardedBatch collects operations and sends them together, as [KeyedBatch] does. It is for one goroutine or
// task at a time. [Sharded.Batch] makes it.
type ShardedBatch[S any] struct {
	batch[struct{}, func(S)]
	s *Sharded[S]
}

// Batch returns an empty batch.
func (s *Sharded[S]) Batch() *ShardedBatch[S] {
	b := &ShardedBatch[S]{s: s}
	lanes := make([]*lane[struct{}, func(S)], len(s.shards))
	for i := range lanes {
		lanes[i] = &s.shards[i].lane
	}
	b.init(s.q, lanes)
	return b
}

// To adds an operation for a shard. It is sent by the next Send, or before that if many have come together. In a bounded
// pool that is full, it sends what is there and waits for room. It panics if f is nil, or if it sends and the
// pool or the Sharded is closed.
//
//go:noinline
func (b *ShardedBatch[S]) To(shard int, f func(S)) {
	mustFunc(f == nil, "ShardedBatch.To")
	if uint(shard) >= uint(len(b.parts)) {
		b.s.shard(shard, "ShardedBatch.To")
	}
	if b.add(shard, op[struct{}, func(S)]{f: f}) {
		b.send(shard, gid.CallerPC())
	}
}

// Send sends what was added. It does not wait. It panics if there is something and the pool or the Sharded is closed.
//
//go:noinline
func (b *ShardedBatch[S]) Send() { b.flush(gid.CallerPC()) }
