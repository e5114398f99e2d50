package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"go.uber.org/atomic"
)

// job is what a load generator is asked to do. It travels to the child process as JSON.
type job struct {
	Addr, Path, Want string
	Schedule         schedule
	Conns            int
	Grace            time.Duration // how long answers may come after the last request was due
}

// schedule says when each request is due, as a time since the start. Being a function of the number alone, it
// cannot be slowed down by anything that the server or the generator does: that is what makes the load open.
type schedule struct {
	Rate             int
	Warmup, Duration time.Duration
}

func (s schedule) due(i int64) time.Duration {
	sec, rest := i/int64(s.Rate), i%int64(s.Rate)
	return time.Duration(sec)*time.Second + time.Duration(rest)*time.Second/time.Duration(s.Rate)
}

// end is when the last request has become due.
func (s schedule) end() time.Duration { return s.Warmup + s.Duration }

// count is the number of requests that become due before the end.
func (s schedule) count() int64 {
	n := int64(s.end().Seconds()*float64(s.Rate)) + 1
	for n > 0 && s.due(n-1) >= s.end() {
		n--
	}
	return n
}

// loadResult is what came of the measured part of the load.
type loadResult struct {
	Latency  histogram // from when a request was due to its answer; what got none counts up to when it was given up
	Late     histogram // from when it was due to when it left, of those that found a free connection
	Offered  int64
	Answered int64
	Timely   int64         // answers that came in the measured time, whenever they had been due: the achieved rate
	Errors   int64         // no answer, or a wrong one
	Unsent   int64         // of the errors: not even sent before the grace period was over
	Tail     time.Duration // from the end of the schedule to the last answer
	Stall    time.Duration // the most by which the generator noticed late that a request was due
	First    string        // the first error
}

// loadProgress is what a generator says of itself on the way.
type loadProgress struct {
	Elapsed  time.Duration
	Answered int64
	P99      time.Duration
}

// generator runs a job. It calls begin when its connections stand and the schedule is about to start, and
// progress now and then.
type generator func(ctx context.Context, j job, begin func(), progress func(loadProgress)) (*loadResult, error)

// generate is the generator itself; see process.go for how it runs in a child.
//
// One goroutine releases requests as they become due and the connections take them in that order. Where none
// is free the requests wait here, and since their latency counts from when they were due, that waiting is
// the server's.
func generate(ctx context.Context, j job, begin func(), progress func(loadProgress)) (*loadResult, error) {
	conns := make([]*conn, j.Conns)
	for i := range conns {
		conns[i] = &conn{addr: j.Addr, request: requestText(j.Addr, j.Path), want: j.Want}
		if err := conns[i].ask(time.Now().Add(10 * time.Second)); err != nil {
			return nil, fmt.Errorf("the server did not answer the load generator: %w", err)
		}
	}
	defer func() {
		for _, c := range conns {
			c.close()
		}
	}()
	begin()
	g := &load{job: j, begun: time.Now(), due: make(chan released, 4096)}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, func() {
		for _, c := range conns {
			c.close()
		}
	})
	var wg sync.WaitGroup
	for _, c := range conns {
		wg.Go(func() { g.serve(ctx, c) })
	}
	wg.Go(func() { g.report(ctx, progress) })
	g.release(ctx)
	close(g.due)
	wg.Wait()
	return &g.result, context.Cause(ctx)
}

// load is one run of the generator.
type load struct {
	job   job
	begun time.Time
	due   chan released
	free  atomic.Int64 // connections waiting for a request

	mu       sync.Mutex
	result   loadResult
	finished int64 // requests done with, warm-up included
}

// released is a request that has become due.
type released struct {
	number int64
	free   bool // a connection was free, so if it leaves late that is the generator's own doing
}

// release hands out the requests. On its way it may be late, and then it hands out all that are due at once.
func (g *load) release(ctx context.Context) {
	n := g.job.Schedule.count()
	var stall time.Duration
	defer func() {
		g.mu.Lock()
		g.result.Stall = stall
		g.mu.Unlock()
	}()
	for i := int64(0); i < n; i++ {
		due := g.job.Schedule.due(i)
		sleepUntil(ctx, g.begun, due)
		stall = max(stall, time.Since(g.begun)-due)
		select {
		case g.due <- released{i, g.free.Load() > int64(len(g.due))}: // waits only behind thousands of others
		case <-ctx.Done():
			return
		}
	}
}

// serve sends requests over one connection until there are no more.
func (g *load) serve(ctx context.Context, c *conn) {
	last := g.begun.Add(g.job.Schedule.end() + g.job.Grace)
	for {
		g.free.Inc()
		r, ok := <-g.due
		g.free.Dec()
		if !ok || ctx.Err() != nil {
			return
		}
		sent := time.Since(g.begun)
		var err error
		if unsent := time.Now().After(last); unsent {
			err = errUnsent
		} else {
			err = c.ask(last)
		}
		g.record(r, sent, time.Since(g.begun), err)
	}
}

// record books one request.
func (g *load) record(r released, sent, done time.Duration, err error) {
	due := g.job.Schedule.due(r.number)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.finished++
	if err == nil && done >= g.job.Schedule.Warmup && done < g.job.Schedule.end() {
		g.result.Timely++
	}
	if due < g.job.Schedule.Warmup {
		return
	}
	res := &g.result
	res.Offered++
	res.Latency.add(done - due)
	res.Tail = max(res.Tail, done-g.job.Schedule.end())
	if err == nil {
		res.Answered++
	} else {
		res.Errors++
		if res.First == "" {
			res.First = err.Error()
		}
	}
	if errors.Is(err, errUnsent) {
		res.Unsent++
	} else if r.free {
		res.Late.add(sent - due)
	}
}

// report calls progress five times a second until all requests are done with.
func (g *load) report(ctx context.Context, progress func(loadProgress)) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	total := g.job.Schedule.count()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		g.mu.Lock()
		p := loadProgress{time.Since(g.begun), g.result.Answered, g.result.Latency.quantile(0.99)}
		finished := g.finished
		g.mu.Unlock()
		progress(p)
		if finished >= total {
			return
		}
	}
}

// dialTimeout bounds how long a connection may take to come up beside saturated cores.
const dialTimeout = 5 * time.Second

func dial(addr string, deadline time.Time) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Deadline: deadline}
	return d.Dial("tcp", addr)
}
