package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/panjf2000/ants/v2"
)

// runner is what differs between the modes; server, bulk work and load generator are the same in all of them.
type runner interface {
	// bulk starts f as a task and does not wait for it. A bulk task that has finished its file starts its
	// successor through bulk, so it must not block a task until another task ends.
	bulk(f func())
	// urgent runs f for a request and returns when f has returned.
	urgent(ctx context.Context, f func()) error
	// pause is called by a bulk task between two blocks.
	pause()
	// cpu returns what each class of work has used so far; ok is false where the mode does not know, and
	// then the meter around the work is used.
	cpu() (urgent, bulk time.Duration, ok bool)
	// close ends the mode when nothing is running any more.
	close() error
}

// plain is a goroutine for everything: the way Go programs are written. The handler's goroutine does the
// urgent work itself, as a handler does.
type plain struct{ gosched bool }

func startPlain(cfg *config, m *mode) (runner, error) {
	return withSpare(cfg, m, &plain{}), nil
}

// startGosched is plain with runtime.Gosched between the blocks, the remedy at hand without a pool.
func startGosched(cfg *config, m *mode) (runner, error) {
	return withSpare(cfg, m, &plain{gosched: true}), nil
}

func (p *plain) bulk(f func()) { go f() }

func (p *plain) urgent(_ context.Context, f func()) error {
	f()
	return nil
}

func (p *plain) pause() {
	if p.gosched {
		runtime.Gosched()
	}
}

func (p *plain) cpu() (urgent, bulk time.Duration, ok bool) { return 0, 0, false }

func (p *plain) close() error { return nil }

// antsPool runs both classes on one ants pool with a goroutine for each P, and the handler waits for its
// task: a bounded pool as it is commonly put before CPU-bound work.
type antsPool struct{ pool *ants.Pool }

func startAnts(cfg *config, m *mode) (runner, error) {
	pool, err := ants.NewPool(cfg.procs)
	if err != nil {
		return nil, fmt.Errorf("ants: %w", err)
	}
	return withSpare(cfg, m, &antsPool{pool}), nil
}

// bulk hands f over on a goroutine of its own, because Submit waits while the pool is full: a task that
// called it to start its successor would hold the very place it is waiting for.
func (a *antsPool) bulk(f func()) {
	go func() {
		if err := a.pool.Submit(f); err != nil {
			panic("mixedload: ants took no task although the pool was open: " + err.Error())
		}
	}()
}

func (a *antsPool) urgent(_ context.Context, f func()) error {
	done := make(chan struct{})
	if err := a.pool.Submit(func() { defer close(done); f() }); err != nil {
		return err
	}
	<-done
	return nil
}

func (a *antsPool) pause() {}

func (a *antsPool) cpu() (urgent, bulk time.Duration, ok bool) { return 0, 0, false }

func (a *antsPool) close() error { return a.pool.ReleaseTimeout(5 * time.Second) }

// spareProcs gives a rival the P that WithSpareProcs(1) gives lockstep.
type spareProcs struct {
	runner
	former int
}

func withSpare(cfg *config, m *mode, r runner) runner {
	if !m.spare {
		return r
	}
	return &spareProcs{runner: r, former: runtime.GOMAXPROCS(cfg.procs + 1)}
}

func (s *spareProcs) close() error {
	err := s.runner.close()
	runtime.GOMAXPROCS(s.former)
	return err
}
