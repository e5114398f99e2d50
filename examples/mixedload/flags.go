package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// config is everything the command line decides. It is checked as a whole in parseFlags, so the rest of the
// program can rely on it.
type config struct {
	dir      string // "" means the Go source tree
	addr     string
	rate     int
	duration time.Duration
	warmup   time.Duration
	rounds   int
	conns    int
	client   string
	bulk     int
	modes    []*mode
	shares   [2]int // urgent, bulk
	latency  time.Duration
	limit    int64 // bytes of input
	plot     string

	procs int           // GOMAXPROCS at the start, which every mode has to find and leave
	slack time.Duration // how far past the end answers may come before the rate counts as too high
}

// usageError is a mistake in the command line: exit status 2.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// maxRequests bounds one mode, so that a slip in -rate or -duration is an error and not a long wait.
const maxRequests = 100_000_000

const (
	clientProcess = "process"
	clientInside  = "inside"
)

// parseFlags reads and checks the command line. Every problem is reported at once, for nobody likes to mend a
// command line one mistake at a time.
func parseFlags(args []string, stderr io.Writer) (*config, error) {
	procs := runtime.GOMAXPROCS(0)
	cfg := &config{procs: procs, slack: 250 * time.Millisecond}
	fs := flag.NewFlagSet("mixedload", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&cfg.addr, "addr", "127.0.0.1:0", "loopback `address` to serve on; port 0 takes any free one")
	fs.IntVar(&cfg.rate, "rate", 1000, "urgent requests a second")
	fs.DurationVar(&cfg.duration, "duration", 4*time.Second, "measured time of each mode, all rounds together")
	fs.DurationVar(&cfg.warmup, "warmup", 300*time.Millisecond, "time before each round that is not measured")
	fs.IntVar(&cfg.rounds, "rounds", 2, "`rounds` over all modes that -duration is split into, every other one backwards")
	fs.IntVar(&cfg.conns, "conns", 256, "connections the load generator keeps open")
	fs.StringVar(&cfg.client, "client", clientProcess, "where the load generator runs: process (a child) or inside")
	fs.IntVar(&cfg.bulk, "bulk", max(16, 4*procs), "bulk tasks at a time")
	fs.DurationVar(&cfg.latency, "latency", 200*time.Microsecond, "latency target of the urgent task queue")
	fs.StringVar(&cfg.plot, "plot", "mixedload.svg", "`file` for the plot; empty for none")
	modes := fs.String("modes", strings.Join(defaultModes, ","), "modes to run, in this order; \"all\" adds a spare P for the rivals too")
	shares := fs.String("shares", "1000:100", "shares of the urgent and the bulk task queue")
	limit := fs.Int("limit", 256, "`MB` of input to use at most")
	fs.Usage = func() {}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stderr, "usage: mixedload [flags] [directory]\n\nThe directory defaults to the Go source tree of this machine.")
		fs.SetOutput(stderr)
		fs.PrintDefaults()
		return nil, err
	}
	if err != nil {
		return nil, usagef("%v; mixedload -h lists the flags", err)
	}
	if fs.NArg() > 1 {
		return nil, usagef("one directory at most, got %d: %s; flags go before the directory", fs.NArg(), strings.Join(fs.Args(), " "))
	}
	cfg.dir = fs.Arg(0)
	cfg.limit = int64(*limit) * 1_000_000
	var modesErr, sharesErr error
	cfg.modes, modesErr = parseModes(*modes)
	cfg.shares, sharesErr = parseShares(*shares)
	if err := errors.Join(cfg.check(), modesErr, sharesErr); err != nil {
		return nil, &usageError{err.Error()}
	}
	return cfg, nil
}

// check looks at the numbers and the address.
func (c *config) check() error {
	var errs []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	need(c.rate >= 1 && c.rate <= 1_000_000, "-rate=%d: choose 1 to 1000000 requests a second", c.rate)
	need(c.duration >= 50*time.Millisecond && c.duration <= time.Hour, "-duration=%v: choose 50ms to 1h", c.duration)
	need(c.rounds >= 1 && c.rounds <= 1000, "-rounds=%d: choose 1 to 1000", c.rounds)
	need(c.warmup >= 0 && c.warmup <= time.Hour, "-warmup=%v: choose 0 to 1h", c.warmup)
	need(c.conns >= 1 && c.conns <= 4096, "-conns=%d: choose 1 to 4096 connections", c.conns)
	need(c.bulk >= 1 && c.bulk <= 65536, "-bulk=%d: choose 1 to 65536 tasks", c.bulk)
	need(c.latency > 0, "-latency=%v: choose a positive duration such as 200µs", c.latency)
	need(c.limit >= 1_000_000 && c.limit <= math.MaxInt64/2, "-limit: choose at least 1 MB")
	need(c.client == clientProcess || c.client == clientInside, "-client=%s: choose process or inside", c.client)
	if len(errs) == 0 {
		need(c.duration/time.Duration(c.rounds) >= 50*time.Millisecond, "-rounds=%d leave less than 50ms of -duration=%v each: choose fewer", c.rounds, c.duration)
		total := float64(c.rate) * (c.duration/time.Duration(c.rounds) + c.warmup).Seconds()
		need(total >= 1, "-rate=%d over %v is no request at all: raise -rate or -duration", c.rate, c.duration)
		need(total <= maxRequests, "-rate=%d over %v is too many requests: lower -rate or -duration", c.rate, c.duration)
	}
	host, port, err := net.SplitHostPort(c.addr)
	if err != nil {
		need(false, "-addr=%s: write it as 127.0.0.1:8080, or 127.0.0.1:0 for any free port", c.addr)
	} else {
		ip := net.ParseIP(host)
		need(host == "localhost" || ip != nil && ip.IsLoopback(), "-addr=%s: only loopback addresses are served, such as 127.0.0.1:0", c.addr)
		n, err := strconv.Atoi(port)
		need(err == nil && n >= 0 && n <= 65535, "-addr=%s: the port is a number from 0 to 65535", c.addr)
	}
	return errors.Join(errs...)
}

// parseShares reads "urgent:bulk".
func parseShares(s string) (out [2]int, err error) {
	u, b, ok := strings.Cut(s, ":")
	for i, part := range []string{u, b} {
		n, convErr := strconv.Atoi(part)
		if !ok || convErr != nil || n < 1 || n > 1_000_000 {
			return out, fmt.Errorf("-shares=%s: write urgent:bulk with two numbers from 1 to 1000000, such as 1000:100", s)
		}
		out[i] = n
	}
	return out, nil
}

// checkPlot finds a folder that is not there before the modes run, not half a minute later.
func checkPlot(name string) error {
	if name == "" {
		return nil
	}
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return usagef("-plot=%s is a directory; name a file such as %s", name, filepath.Join(name, "mixedload.svg"))
	}
	dir := filepath.Dir(name)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return usagef("-plot=%s: there is no directory %s; make it, or choose another file", name, dir)
	}
	return nil
}
