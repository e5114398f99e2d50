package lockstep

import (
	"context"
	"fmt"
	"iter"

	"github.com/lockstep-go/lockstep/internal/gid"
)

// ForEach calls f for every item, as if each call were a task of its own, and waits for them.
//
// It is a call, like [Run]: when it returns, every call of f that began has ended. The first error ends the context
// that f receives, no further call begins, and ForEach returns that error; with [AllErrors] every item
// is tried. If f panics, no further call begins and ForEach panics with the same value, and if f calls runtime.Goexit,
// as t.FailNow does, so does ForEach. If ctx ends first ForEach returns its cause, and [ErrClosed] if the pool is closed.
//
// The calls go to the queue that ctx carries, else to the calling task's, else to the default pool's default queue.
// They begin in about the order of the items; with Limit(1) exactly, one after the other. Any number of calls that wait
// may be under way at once, unless there is a [Limit], so a call may wait for what another does. Calls that do
// not wait share a task, which costs them some ten nanoseconds an item; between calls that task gives way
// when its quantum is over. Each call of f synchronizes before the return of ForEach.
//
// The idea of calling it this way is from github.com/sourcegraph/conc/iter, the meaning of errors from
// golang.org/x/sync/errgroup. It panics if ctx or f is nil.
//
//go:noinline
func ForEach[T any](ctx context.Context, items []T, f func(ctx context.Context, item T) error, opts ...FanOption) error {
	pc := gid.CallerPC()
	mustFunc(f == nil, "ForEach")
	fan := newFan(ctx, "ForEach", pc, opts)
	return fan.each(ctx, len(items), func(i int) error { return f(&fan.ctx, items[i]) })
}

// ForN is [ForEach] for the numbers from 0 to n-1.
//
//go:noinline
func ForN(ctx context.Context, n int, f func(ctx context.Context, i int) error, opts ...FanOption) error {
	pc := gid.CallerPC()
	mustFunc(f == nil, "ForN")
	fan := newFan(ctx, "ForN", pc, opts)
	return fan.each(ctx, n, func(i int) error { return f(&fan.ctx, i) })
}

// Map is [ForEach] for a function with a result. Result i is that of item i. It is the zero value if the call for the item
// failed or did not begin, which happens only when there is an error.
//
//go:noinline
func Map[T, R any](ctx context.Context, items []T, f func(ctx context.Context, item T) (R, error), opts ...FanOption) ([]R, error) {
	pc := gid.CallerPC()
	mustFunc(f == nil, "Map")
	fan := newFan(ctx, "Map", pc, opts)
	results := make([]R, len(items))
	err := fan.each(ctx, len(items), func(i int) error {
		r, err := f(&fan.ctx, items[i])
		if err == nil {
			results[i] = r
		}
		return err
	})
	return results, err
}

// ForEachSeq is [ForEach] for a sequence. The caller goes through the sequence itself, so that the
// sequence may wait as the caller may, and the calls of f begin meanwhile. It is ahead of them by at most
// about a thousand items.
//
//go:noinline
func ForEachSeq[T any](ctx context.Context, items iter.Seq[T], f func(ctx context.Context, item T) error, opts ...FanOption) error {
	pc := gid.CallerPC()
	mustFunc(f == nil || items == nil, "ForEachSeq")
	fan := newFan(ctx, "ForEachSeq", pc, opts)
	return feed(ctx, fan, items, f)
}

// FanOption is an option of [ForEach] and its relatives.
type FanOption func(*fanConfig)

type fanConfig struct {
	limit int // 0: none
	all   bool
}

// Limit allows at most n calls at a time. Without it calls that wait are as many as there are items.
// It panics if n is less than 1.
func Limit(n int) FanOption {
	if n < 1 {
		panic(fmt.Sprintf("lockstep: Limit(%d) lets no call begin; use at least 1", n))
	}
	return func(c *fanConfig) { c.limit = n }
}

// AllErrors makes an error of one item leave the others alone: every item is tried, and the
// result is all errors, in the order of the items, joined by errors.Join.
func AllErrors() FanOption { return func(c *fanConfig) { c.all = true } }
