package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// runPhase runs one round of one mode: server, load generator and bulk work come up, and go down again in the opposite
// order. What it leaves behind is memory, which it returns to the system first thing, so that a mode's peak is
// its own.
func runPhase(ctx context.Context, cfg *config, m *mode, in *input, work *urgentWork, show *phaseLine) (res *phaseResult, err error) {
	debug.FreeOSMemory()
	run, err := m.start(cfg, m)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, run.close())
		if n := runtime.GOMAXPROCS(0); n != cfg.procs {
			err = errors.Join(err, fmt.Errorf("GOMAXPROCS was left at %d, it was %d before", n, cfg.procs))
		}
	}()
	meter := &meter{}
	srv, err := startServer(cfg.addr, run, work, meter)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.close()) }()

	var (
		b = &bulk{}
		s *sampler
	)
	begin := func() {
		if m != idleMode {
			b = startBulk(run, in.files, meter, cfg.bulk)
		}
		s = startSampler(b, run, meter)
	}
	load, err := cfg.generator()(ctx, cfg.job(m, srv.addr, work), begin, func(p loadProgress) {
		show.live("%4.1f s  %6d answered  p99 %-8s bulk %s", p.Elapsed.Seconds(), p.Answered, short(p.P99), rate(s.recent()))
	})
	if s != nil {
		s.finish()
		b.finish()
	}
	if err != nil {
		return nil, err
	}
	sch := cfg.schedule(m)
	res = &phaseResult{
		mode:    m,
		load:    load,
		windows: []window{between(s.samples, sch.Warmup, sch.end())},
		peak:    window{s.samples}.peak(),
		failed:  b.failed.Load(),
	}
	show.final("p50 %-8s p99 %-8s p99.9 %-8s bulk %s", short(load.Latency.quantile(0.5)), short(load.Latency.quantile(0.99)),
		short(load.Latency.quantile(0.999)), rate(res.bulkRate()))
	return res, nil
}

func (c *config) generator() generator {
	if c.client == clientInside {
		return generate
	}
	return generateInChild
}

func (c *config) job(m *mode, addr string, work *urgentWork) job {
	return job{Addr: addr, Path: urgentPath, Want: work.want, Schedule: c.schedule(m), Conns: c.conns, Grace: 2 * time.Second}
}

// schedule is that of one round. It is the same for all modes, but the floor, which has only one round, needs
// no more than a second.
func (c *config) schedule(m *mode) schedule {
	if m == idleMode {
		d := min(c.duration, time.Second)
		return schedule{Rate: c.rate, Warmup: min(c.warmup, d/4), Duration: d}
	}
	return schedule{Rate: c.rate, Warmup: c.warmup, Duration: c.duration / time.Duration(c.rounds)}
}

// checkRate refuses a rate at which even without bulk work the answers fall behind, because then every mode
// would only show the queue that grows in front of it.
func checkRate(cfg *config, idle *loadResult) error {
	if idle.Errors == idle.Offered && idle.First != "" {
		return fmt.Errorf("no request was answered: %s", idle.First)
	}
	d := cfg.schedule(idleMode).Duration
	if idle.Tail <= d/10+cfg.slack {
		return nil
	}
	reached := int(float64(idle.Timely) / d.Seconds())
	return fmt.Errorf("-rate=%d is too high: without any bulk work the server and the load generator reach about %d requests/s here; try -rate=%d",
		cfg.rate, reached, max(reached/4, 1))
}
