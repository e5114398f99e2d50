package workload

import (
	"context"

	"go.uber.org/atomic"
	"golang.org/x/sync/semaphore"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/tasksync"
)

// The rows in this file are a semaphore among tasks of one worker, beside the same in Rust. With the go statement it is
// golang.org/x/sync's.
var (
	// SemaphoreFree is acquired and released by one task.
	SemaphoreFree = semaphoreRow("SemaphoreFree", "semaphore, acquire and release, nobody else there", 3_000_000, 1, func(e *Env, n int) {
		s := newSemaphore(e, 4)
		together(e, func() {
			for range n {
				acquire(s)
				s.Release(1)
			}
		})
	})
	// SemaphoreContended is held by eight tasks in turn, each across a yield.
	SemaphoreContended = semaphoreRow("SemaphoreContended", "semaphore that 8 tasks of a worker hold across a yield in turn", 50_000, crowd, func(e *Env, n int) {
		s := newSemaphore(e, 1)
		member := func() {
			for range n {
				acquire(s)
				e.Pool.Yield()
				s.Release(1)
			}
		}
		members := make([]func(), crowd)
		for i := range members {
			members[i] = member
		}
		together(e, members...)
	})
	// SemaphoreSignal has nothing to give until another task, which sees that it is wanted, gives it.
	SemaphoreSignal = semaphoreRow("SemaphoreSignal", "semaphore without permits, each signalled by another task", 200_000, 1, func(e *Env, n int) {
		s := newSemaphore(e, 1)
		acquire(s) // x/sync's cannot be made empty
		var waiting atomic.Bool
		together(e, func() {
			for range n {
				waiting.Store(true)
				acquire(s)
			}
		}, func() {
			for range n {
				for !waiting.CompareAndSwap(true, false) {
					e.Pool.Yield()
				}
				s.Release(1)
			}
		})
	})

	semaphores = []*Workload{SemaphoreFree, SemaphoreContended, SemaphoreSignal}
)

// crowd is how many tasks want the same semaphore.
const crowd = 8

func semaphoreRow(name, title string, size, ops int, body func(e *Env, n int)) *Workload {
	return &Workload{
		Name: name, Title: title, Unit: "ns/acquire", Size: size, Quick: 500, Ops: ops,
		Only: statementAndLockstep, Workers: 1,
		run: func(e *Env, n int) {
			body(e, n)
			e.count(n * ops)
		},
	}
}

// weighted is the form that both semaphores have.
type weighted interface {
	Acquire(ctx context.Context, n int64) error
	Release(n int64)
}

func newSemaphore(e *Env, n int64) weighted {
	if _, ok := e.Pool.(rival.Native); ok {
		return tasksync.NewSemaphore(n)
	}
	return semaphore.NewWeighted(n)
}

func acquire(s weighted) {
	err := s.Acquire(context.Background(), 1)
	if err != nil {
		fail("semaphore: %v", err)
	}
}
