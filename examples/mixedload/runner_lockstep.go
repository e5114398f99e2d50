package main

import (
	"context"
	"time"

	"github.com/lockstep-go/lockstep"
)

// oneQueue puts both classes into the pool's default task queue: what a program gets that replaces its go
// statements and declares nothing.
type oneQueue struct{ pool *lockstep.Pool }

func startOneQueue(cfg *config, m *mode) (runner, error) {
	pool, err := lockstep.New(poolOptions(cfg, m)...)
	if err != nil {
		return nil, err
	}
	return &oneQueue{pool}, nil
}

func (q *oneQueue) bulk(f func()) { q.pool.Go(f) }

func (q *oneQueue) urgent(ctx context.Context, f func()) error {
	return q.pool.Run(ctx, func(context.Context) error { f(); return nil })
}

func (q *oneQueue) pause() { lockstep.YieldIfNeeded() }

// cpu does not know the classes apart, since they share a queue.
func (q *oneQueue) cpu() (urgent, bulk time.Duration, ok bool) { return 0, 0, false }

func (q *oneQueue) close() error { return q.pool.Close() }

// twoQueues declares the classes. The urgent queue has ten times the shares, which it never needs; what it
// needs is to be next when a request comes, and that follows from having run less than its share, and from
// its latency target, which shortens the bulk tasks' turns.
type twoQueues struct {
	pool           *lockstep.Pool
	urgentQ, bulkQ *lockstep.TaskQueue
}

func startTwoQueues(cfg *config, m *mode) (runner, error) {
	pool, err := lockstep.New(append(poolOptions(cfg, m),
		lockstep.WithTaskQueue("urgent", lockstep.WithShares(cfg.shares[0]), lockstep.WithLatency(cfg.latency)),
		lockstep.WithTaskQueue("bulk", lockstep.WithShares(cfg.shares[1])),
	)...)
	if err != nil {
		return nil, err
	}
	return &twoQueues{pool, pool.TaskQueue("urgent"), pool.TaskQueue("bulk")}, nil
}

func (q *twoQueues) bulk(f func()) { q.bulkQ.Go(f) }

func (q *twoQueues) urgent(ctx context.Context, f func()) error {
	return q.urgentQ.Run(ctx, func(context.Context) error { f(); return nil })
}

func (q *twoQueues) pause() { lockstep.YieldIfNeeded() }

// cpu asks the pool, which charges every queue for the time it has run.
func (q *twoQueues) cpu() (urgent, bulk time.Duration, ok bool) {
	return q.urgentQ.Stats().RunTime, q.bulkQ.Stats().RunTime, true
}

func (q *twoQueues) close() error { return q.pool.Close() }

// poolOptions fixes the workers at the Ps the program started with, so that a spare P stays spare.
func poolOptions(cfg *config, m *mode) []lockstep.Option {
	opts := []lockstep.Option{lockstep.WithWorkers(cfg.procs)}
	if m.spare {
		opts = append(opts, lockstep.WithSpareProcs(1))
	}
	return opts
}
