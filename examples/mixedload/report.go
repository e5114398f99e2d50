package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// writeTable prints one row a mode.
func writeTable(out io.Writer, cfg *config, results []*phaseResult) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"p50", "p99", "p99.9", "max", "errors", "req/s", "bulk MB/s", "CPU urgent", "CPU bulk", "peak MB", "client p99"}
	fmt.Fprintf(t, "%s\t%s\t\n", pad("urgent requests"), strings.Join(head, "\t"))
	for _, r := range results {
		l := r.load
		urgent, bulk := r.cpu(cfg.procs)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%.0f\t%.1f\t%.1f%%\t%.1f%%\t%.0f\t%s\t\n", pad(r.mode.label),
			short(l.Latency.quantile(0.5)), short(l.Latency.quantile(0.99)), short(l.Latency.quantile(0.999)), short(l.Latency.Max),
			l.Errors, r.achieved(cfg), r.bulkRate(), urgent*100, bulk*100,
			float64(r.peak)/1e6, short(l.Late.quantile(0.99)))
	}
	t.Flush()
	fmt.Fprintf(out, "\nLatency counts from when a request was due. CPU is of %d CPUs; with two queues it is Stats().Queues' RunTime,\n"+
		"elsewhere wall time around each piece of work, where a piece interrupted for long counts as an average one.\n"+
		"peak MB is what the Go runtime held. client p99 is how late the load generator itself was, included in the latencies.\n", cfg.procs)
}

// pad makes the first column left-aligned in a table whose columns are not.
func pad(label string) string {
	return fmt.Sprintf("%-*s", 30, label)
}

// stalled is how long a load generator may be held up by the machine before its figures are worth a warning.
const stalled = 500 * time.Millisecond

// writeWarnings says what a reader of the table has to know before trusting it.
func writeWarnings(out io.Writer, cfg *config, results []*phaseResult) {
	for _, r := range results {
		l, name := r.load, r.mode.name
		if l.Stall > stalled && cfg.client == clientProcess {
			fmt.Fprintf(out, "warning  %s: the load generator itself stood still for %s; was the machine suspended, or is it very busy with other things? Run it again\n", name, short(l.Stall))
		}
		if got := r.achieved(cfg); got < 0.9*float64(cfg.rate) {
			fmt.Fprintf(out, "warning  %s answered %.0f of %d requests/s: its latencies are those of a growing queue; lower -rate to compare\n", name, got, cfg.rate)
		}
		if l.Errors > 0 {
			fmt.Fprintf(out, "warning  %s: %d of %d requests failed (%d never sent); the first: %s\n", name, l.Errors, l.Offered, l.Unsent, l.First)
		}
		if r.failed > 0 {
			fmt.Fprintf(out, "warning  %s: %d files could not be read any more; do not change the directory during a run\n", name, r.failed)
		}
		if l.Latency.N > 0 && l.Latency.N < 1000 {
			fmt.Fprintf(out, "note     %s: p99.9 of %d requests is their maximum; raise -rate or -duration\n", name, l.Latency.N)
		}
	}
}

// writeVerdict holds lockstep with two queues against the others: the figures the README quotes.
func writeVerdict(out io.Writer, results []*phaseResult) {
	by := map[string]*phaseResult{}
	for _, r := range results {
		by[r.mode.name] = r
	}
	fmt.Fprintln(out)
	said := false
	for _, name := range []string{"two+spare", "two"} {
		two := by[name]
		if two == nil {
			continue
		}
		if plain := by["plain"]; plain != nil {
			said = true
			p99 := ratio(two.load.Latency.quantile(0.99), plain.load.Latency.quantile(0.99))
			fmt.Fprintf(out, "verdict  %s, urgent p99 against plain: %s, %s of it (target: at most 1/20): %s\n", name,
				versus(two, plain, 0.99), fraction(p99), met(p99 <= 1.0/20))
			bulk := two.bulkRate() / max(plain.bulkRate(), 1e-9)
			fmt.Fprintf(out, "verdict  %s, bulk throughput against plain: %.2f (target: at least 0.95): %s\n", name, bulk, met(bulk >= 0.95))
		}
		if gosched := by["gosched"]; gosched != nil {
			said = true
			p99 := ratio(two.load.Latency.quantile(0.99), gosched.load.Latency.quantile(0.99))
			p999 := ratio(two.load.Latency.quantile(0.999), gosched.load.Latency.quantile(0.999))
			fmt.Fprintf(out, "verdict  %s, urgent p99 against gosched: %s, %.2f of it (target: no worse): %s\n", name,
				versus(two, gosched, 0.99), p99, met(p99 <= 1))
			fmt.Fprintf(out, "verdict  %s, urgent p99.9 against gosched: %s, %.2f of it (target: better): %s\n", name,
				versus(two, gosched, 0.999), p999, met(p999 < 1))
		}
		if late, all := two.load.Late.quantile(0.99), two.load.Latency.quantile(0.99); late > all/2 {
			fmt.Fprintf(out, "note     %s: at p99 the load generator itself was %s late, most of the %s measured; the pool's part is smaller\n", name, short(late), short(all))
		}
	}
	if !said {
		fmt.Fprintln(out, "verdict  none: it needs the modes plain or gosched, and two or two+spare")
	}
}

func versus(a, b *phaseResult, q float64) string {
	return short(a.load.Latency.quantile(q)) + " to " + short(b.load.Latency.quantile(q))
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// fraction writes a small ratio as people say it: 1/42.
func fraction(r float64) string {
	if r <= 0 || r > 0.5 {
		return fmt.Sprintf("%.2f", r)
	}
	return fmt.Sprintf("1/%.0f", 1/r)
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}

// short writes a duration with three digits and a unit, so that columns stay narrow.
func short(d time.Duration) string {
	us := float64(d) / 1e3
	switch {
	case us < 999.5:
		return fmt.Sprintf("%.0f µs", us)
	case us < 9.995e3:
		return fmt.Sprintf("%.2f ms", us/1e3)
	case us < 99.95e3:
		return fmt.Sprintf("%.1f ms", us/1e3)
	case us < 999.5e3:
		return fmt.Sprintf("%.0f ms", us/1e3)
	default:
		return fmt.Sprintf("%.2f s", us/1e6)
	}
}

func rate(mbs float64) string { return fmt.Sprintf("%.1f MB/s", mbs) }
