package lockstep

import (
	"context"
	"hash/maphash"
	"runtime"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// Keyed runs operations of the same key in the order in which they were sent, one at a time, on the same worker; those of
// different keys independently of one another. So what belongs to a key needs no lock. Make one with [NewKeyed].
// All methods are safe for concurrent use, from tasks and from ordinary goroutines.
//
// Guaranteed: an operation begins after the one that was sent before it with the same key has ended, also if that yields,
// waits, panics (with a panic handler) or ends by runtime.Goexit. The end synchronizes before the beginning. Which
// of two senders comes first is decided by what synchronizes them. An operation that yields or waits delays those of its
// key only. One that blocks or computes without yielding delays the worker's other operations as well: they
// are not rescued, because they must not leave the worker.
//
// Operations of keys that do not wait share a task, which costs them a few times ten nanoseconds. When a key has
// no operation that is sent and not ended, nothing is kept of it.
//
// Keys are divided among the workers that the pool has when the Keyed is made, by their hash. If the number of workers falls
// later, the share of a worker that ends moves to another, when none of its operations is under way; if it grows, the
// new workers get none. On floating workers, a started operation may go on on another worker.
//
// Similar: strands of Boost.Asio; what sharding is in glommio, see [Sharded].
type Keyed[K comparable] struct {
	q     *pool.Queue
	seed  maphash.Seed
	salt  uint64
	lanes []lane[K, func()]
	drawn map[K]int // in a stepped pool, the keys' lanes
}

// NewKeyed returns a Keyed whose operations are tasks of q. It needs no closing: it has no tasks while nothing is
// pending. It panics if q is nil.
func NewKeyed[K comparable](q *TaskQueue) *Keyed[K] {
	mustQueue(q, "NewKeyed")
	k := &Keyed[K]{q: q.q, seed: maphash.MakeSeed(), lanes: make([]lane[K, func()], q.q.Pool().Workers())}
	k.salt = maphash.Comparable(k.seed, 0)
	if q.q.Pool().Stepped() {
		k.drawn = map[K]int{}
	}
	for i := range k.lanes {
		k.lanes[i].init(q.q, i, true, callFunc)
	}
	return k
}

func callFunc(f func()) { f() }

func mustQueue(q *TaskQueue, call string) {
	if q == nil {
		panic("lockstep: " + call + " without a task queue; use Pool.TaskQueue")
	}
}

// lane returns the number of the key's lane.
func (k *Keyed[K]) lane(key K) int {
	if k.drawn != nil {
		return k.draw(key)
	}
	return int(hashOf(k.seed, k.salt, key) >> 32 * uint64(len(k.lanes)) >> 32)
}

// draw is lane in a stepped pool: which keys share a worker is up to the hash, that is to nobody, so it is part of the schedule.
func (k *Keyed[K]) draw(key K) int {
	i, ok := k.drawn[key]
	if !ok {
		i = max(pool.Decide(pool.ChoiceWorker, len(k.lanes)), 0)
		k.drawn[key] = i
	}
	return i
}

// hashOf is maphash.Comparable, in a third of the time for the most usual types of keys.
func hashOf[K comparable](seed maphash.Seed, salt uint64, key K) uint64 {
	switch k := any(key).(type) {
	case int:
		return mix(uint64(k) + salt)
	case int64:
		return mix(uint64(k) + salt)
	case uint64:
		return mix(k + salt)
	case uint32:
		return mix(uint64(k) + salt)
	case string:
		return maphash.String(seed, k)
	}
	return maphash.Comparable(seed, key)
}

// mix spreads numbers: two rounds of a multiplication by the golden ratio and a fold (Knuth, volume 3, 6.4).
func mix(x uint64) uint64 {
	x *= 0x9E3779B97F4A7C15
	x ^= x >> 32
	return x * 0x9E3779B97F4A7C15
}

// Go sends an operation of key. It does not wait for it. Like [Pool.Go] it waits for room in a bounded pool, in which
// every operation counts as a task, and panics if the pool is closed or f is nil. To send many operations, a
// [KeyedBatch] is several times as fast.
//
//go:noinline
func (k *Keyed[K]) Go(key K, f func()) {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Keyed.Go")
	err := acquire(context.Background(), k.q)
	if err == nil {
		err = k.lanes[k.lane(key)].send1(op[K, func()]{key: key, f: f}, pc)
		releaseIf(err, k.q, 1)
	}
	mustSend(err, "Keyed.Go")
}

// Do calls f as an operation of key and returns what it returns. It is a call, with the meaning of [TaskQueue.Run]: panics
// and runtime.Goexit come to the caller; f's context is derived from ctx; and without having called f, Do returns ErrClosed,
// ErrShutdown or the cause of ctx, if that ends first. In an operation of the same key it calls f directly, where
// waiting for its turn would be for ever.
//
//go:noinline
func (k *Keyed[K]) Do(ctx context.Context, key K, f func(ctx context.Context) error) error {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Keyed.Do")
	mustContext(ctx, "Keyed.Do")
	if err := context.Cause(ctx); err != nil {
		return err
	}
	l := &k.lanes[k.lane(key)]
	if l.inside(pool.Current(), key) {
		return f(ctx)
	}
	return do(ctx, k.q, f, func(c *call) error {
		return l.send1(op[K, func()]{key, c.run, c.dropped}, pc)
	})
}

// do is the call f as an operation that send sends.
func do(ctx context.Context, q *pool.Queue, f func(context.Context) error, send func(*call) error) error {
	if err := acquire(ctx, q); err != nil {
		return err
	}
	c := &call{f: f}
	c.panics = true
	c.ctx.Init(ctx, q)
	x := c.register()
	if err := send(c); err != nil {
		releaseIf(err, q, 1)
		return err
	}
	if err := c.join(ctx, x); err != nil {
		return err // f will not be called
	}
	switch {
	case c.panicked != nil:
		panic(c.panicked)
	case c.exited:
		runtime.Goexit()
	}
	return c.err
}

// dropped ends a call that a forced shutdown keeps from beginning.
func (c *call) dropped() {
	if c.begun.CompareAndSwap(0, 1) {
		c.finish(ErrShutdown)
	}
}

// acquire takes a place for an operation if the pool is bounded.
func acquire(ctx context.Context, q *pool.Queue) error {
	if c := q.Capacity(); c != nil {
		return c.Acquire(ctx)
	}
	return nil
}

// releaseIf gives back n places if err says that the operations were not sent.
func releaseIf(err error, q *pool.Queue, n int) {
	if c := q.Capacity(); err != nil && c != nil {
		for range n {
			c.Release()
		}
	}
}

// mustSend is what becomes of an operation that was not sent by a call without an error.
func mustSend(err error, call string) {
	switch err {
	case nil:
	case ErrShutdown:
		Yield() // as in TaskQueue.spawn
	default:
		panic("lockstep: " + call + " on a closed pool, like a send on a closed channel; use Do where that may happen")
	}
}
