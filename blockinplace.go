package lockstep

import (
	"context"

	"github.com/lockstep-go/lockstep/internal/gid"
	"github.com/lockstep-go/lockstep/pool"
)

// BlockInPlace calls f, which may block the thread: on native channels and locks, in
// system calls, in C. f has returned when BlockInPlace returns.
//
// Whether f is moved to the overflow pool, so that the worker goes on with other tasks
// meanwhile, is decided by [WithBlockInPlace], of the call, of the task's queue or of the pool;
// the nearest one wins, and without any f runs in place, at the cost of a call. Moving pays
// when f blocks for longer than about 30 µs.
//
//	called from                     flag off      flag on
//	a task                          in place      moved; the task parks
//	f itself, when moved            in place      in place: f has no task
//	f itself, when in place         in place      moved
//	a goroutine, a timer's function in place      in place
//	a task, the pool is closing     in place      moved; Close waits for it
//	a task that Shutdown has ended  in place      moved; it is not cut short
//
// A panic of f is a panic of BlockInPlace with the same value, and runtime.Goexit in f
// ends the task. Inside a moved f, [Yield] is runtime.Gosched, as in any goroutine, and
// [Go] and [Spawn] go to the default pool unless a context or a queue is named. When all places of the
// overflow pool are taken ([WithOverflow]), sections wait in a queue, first in
// first out; the task then waits, its worker does not. A section cannot be cancelled, but one that waits for a place
// can: [BlockInPlaceContext]. A place in the code whose moved sections are mostly shorter than moving costs
// is named in the pool's log, once.
//
// f must not leave the thread locked (runtime.LockOSThread): in place that kills the
// process at the task's next yield or end.
//
// It panics if f is nil.
//
// The flag is named after tokio's block_in_place and the blocking flag of the tentacle
// network library, which found that each place needs its own choice.
//
//go:noinline
func BlockInPlace(f func(), opts ...BlockOption) {
	mustFunc(f == nil, "BlockInPlace")
	switch co, move := section(opts); {
	case co == nil:
		f()
	case move:
		_ = co.Move(context.Background(), f, gid.Site(gid.CallerPC()))
	default:
		co.Inline(f)
	}
}

// BlockInPlaceContext is BlockInPlace for a section that need not run. If ctx has ended before f has begun,
// while the section waits for a place in the overflow pool, f is not called and the cause of ctx
// is returned. Once f has begun, BlockInPlaceContext returns nil when f has returned.
//
//go:noinline
func BlockInPlaceContext(ctx context.Context, f func(), opts ...BlockOption) error {
	mustFunc(f == nil, "BlockInPlaceContext")
	mustContext(ctx, "BlockInPlaceContext")
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch co, move := section(opts); {
	case co == nil:
		f()
	case move:
		return co.Move(ctx, f, gid.Site(gid.CallerPC()))
	default:
		co.Inline(f)
	}
	return nil
}

// section returns the calling task, if any, and whether its section is to be moved.
func section(opts []BlockOption) (co *pool.Coroutine, move bool) {
	if co = pool.Current(); co == nil {
		return nil, false
	}
	if move = co.Moves(); len(opts) > 0 {
		move = nearest(move, opts)
	}
	return co, move
}

// nearest applies the options of a call. It is apart so that a call without any does not
// allocate the variable.
func nearest(move bool, opts []BlockOption) bool {
	for _, o := range opts {
		if o == nil {
			panic("lockstep: an option of BlockInPlace is nil")
		}
		o.applyBlock(&move)
	}
	return move
}

// BlockInPlaceValue is BlockInPlace for a function with a result.
//
//go:noinline
func BlockInPlaceValue[T any](f func() (T, error), opts ...BlockOption) (v T, err error) {
	mustFunc(f == nil, "BlockInPlaceValue")
	switch co, move := section(opts); {
	case co == nil:
		v, err = f()
	case move:
		_ = co.Move(context.Background(), func() { v, err = f() }, gid.Site(gid.CallerPC()))
	default:
		co.Inline(func() { v, err = f() })
	}
	return v, err
}
