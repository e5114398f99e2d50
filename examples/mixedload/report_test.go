package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// measured makes a result whose latencies all are d.
func measured(name string, d time.Duration, bulkMB int64) *phaseResult {
	m := findMode(name)
	if m == nil {
		m = idleMode
	}
	l := &loadResult{Offered: 4000, Answered: 4000, Timely: 4000}
	for range 4000 {
		l.Latency.add(d)
	}
	samples := []sample{
		{at: 0, memory: 5e6},
		{at: time.Second, urgent: 10 * time.Millisecond, bulk: time.Second, bytes: bulkMB * 1e6, memory: 9e6},
		{at: 2 * time.Second, urgent: 30 * time.Millisecond, bulk: 3 * time.Second, bytes: 3 * bulkMB * 1e6, memory: 7e6},
	}
	return &phaseResult{mode: m, load: l, windows: []window{between(samples, time.Second, 2*time.Second)}, peak: 9e6}
}

func reportConfig() *config {
	return &config{rounds: 1, rate: 1000, duration: 4 * time.Second, warmup: time.Second, client: clientProcess, procs: 2, bulk: 16}
}

func TestVerdict(t *testing.T) {
	verdict := func(results ...*phaseResult) string {
		var out strings.Builder
		writeVerdict(&out, results)
		return out.String()
	}
	plain, gosched := measured("plain", 100*time.Millisecond, 20), measured("gosched", 10*time.Millisecond, 15)
	good := verdict(plain, gosched, measured("two+spare", time.Millisecond, 20))
	require.Contains(t, good, "against plain: 1.00 ms to 100 ms, 1/100 of it (target: at most 1/20): met")
	require.Contains(t, good, "bulk throughput against plain: 1.00 (target: at least 0.95): met")
	require.Contains(t, good, "p99.9 against gosched: 1.00 ms to 10.0 ms, 0.10 of it (target: better): met")
	require.NotContains(t, good, "missed")
	bad := verdict(plain, gosched, measured("two", 10*time.Millisecond, 18))
	require.Equal(t, 3, strings.Count(bad, ": missed"), bad)
	require.Contains(t, verdict(plain), "none: it needs the modes")

	late := measured("two", time.Millisecond, 20)
	late.load.Late.add(900 * time.Microsecond)
	require.Contains(t, verdict(plain, late), "the load generator itself was 900 µs late")
}

func TestTable(t *testing.T) {
	var out strings.Builder
	writeTable(&out, reportConfig(), []*phaseResult{measured("two", 1500*time.Microsecond, 20)})
	lines := strings.Split(out.String(), "\n")
	require.Contains(t, lines[0], "p99.9")
	row := strings.Join(strings.Fields(lines[1]), " ")
	require.Equal(t, "lockstep, two queues 1.50 ms 1.50 ms 1.50 ms 1.50 ms 0 1000 40.0 1.0% 100.0% 9 0 µs", row)
}

func TestWarnings(t *testing.T) {
	r := measured("two", time.Millisecond, 20)
	var out strings.Builder
	writeWarnings(&out, reportConfig(), []*phaseResult{r})
	require.Empty(t, out.String())
	r.load.Timely, r.load.Errors, r.load.Unsent, r.load.First = 2000, 10, 3, "no answer"
	r.load.Stall, r.failed, r.load.Latency = time.Second, 2, histogram{N: 5}
	writeWarnings(&out, reportConfig(), []*phaseResult{r})
	for _, text := range []string{
		"500 of 1000 requests/s", "10 of 4000 requests failed (3 never sent); the first: no answer",
		"stood still for 1.00 s", "2 files could not be read", "p99.9 of 5 requests",
	} {
		require.Contains(t, out.String(), text)
	}
}

func TestRateTooHigh(t *testing.T) {
	cfg := reportConfig()
	cfg.slack = 250 * time.Millisecond
	require.NoError(t, checkRate(cfg, &loadResult{Offered: 1000, Answered: 1000, Timely: 990, Tail: 10 * time.Millisecond}))
	err := checkRate(cfg, &loadResult{Offered: 1000, Answered: 1000, Timely: 400, Tail: 2 * time.Second})
	require.ErrorContains(t, err, "-rate=1000 is too high")
	require.ErrorContains(t, err, "reach about 400 requests/s here; try -rate=100")
	require.ErrorContains(t, checkRate(cfg, &loadResult{Offered: 9, Errors: 9, First: "refused"}), "no request was answered: refused")
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 µs", 20 * time.Microsecond: "20 µs", 999_400: "999 µs", 999_600: "1.00 ms", 9_990_000: "9.99 ms",
		38_140_000: "38.1 ms", 99_960_000: "100 ms", 999_600_000: "1.00 s", 2500 * time.Millisecond: "2.50 s",
	} {
		require.Equal(t, want, short(d))
	}
}

func TestWindow(t *testing.T) {
	at := func(ms ...int) (all []sample) {
		for _, m := range ms {
			all = append(all, sample{at: time.Duration(m) * time.Millisecond})
		}
		return all
	}
	first := func(w window) []int64 {
		return []int64{w.samples[0].at.Milliseconds(), w.last().at.Milliseconds()}
	}
	all := at(0, 100, 200, 300, 400, 500)
	require.Equal(t, []int64{100, 400}, first(between(all, 100*time.Millisecond, 450*time.Millisecond)))
	require.Equal(t, []int64{400, 500}, first(between(all, time.Second, 2*time.Second)), "a sampler that stopped early")
	require.Equal(t, []int64{0, 100}, first(between(all, 0, 0)))
	require.Equal(t, []int64{0, 900}, first(between(at(0, 900), 100*time.Millisecond, 200*time.Millisecond)))
	require.Zero(t, window{all[:1]}.bulkRate())
	u, b := window{nil}.cpu(2)
	require.Zero(t, u+b)
}

func TestRoundsAreAddedUp(t *testing.T) {
	r, other := measured("two", time.Millisecond, 20), measured("two", 3*time.Millisecond, 40)
	other.load.First, other.load.Errors, other.load.Tail = "no answer", 2, time.Second
	r.merge(other)
	require.EqualValues(t, 8000, r.load.Latency.N)
	require.Equal(t, 3*time.Millisecond, r.load.Latency.Max)
	require.InEpsilon(t, float64(time.Millisecond), float64(r.load.Latency.quantile(0.5)), 0.01)
	require.InEpsilon(t, float64(3*time.Millisecond), float64(r.load.Latency.quantile(0.51)), 0.01)
	require.InEpsilon(t, 60, r.bulkRate(), 0.001)
	require.InEpsilon(t, 1000, r.achieved(reportConfig()), 0.001)
	u, b := r.cpu(2)
	require.InEpsilon(t, 0.01, u, 0.001)
	require.InEpsilon(t, 1, b, 0.001)
	require.EqualValues(t, 2, r.load.Errors)
	require.Equal(t, "no answer", r.load.First)
	require.Equal(t, time.Second, r.load.Tail)
}
