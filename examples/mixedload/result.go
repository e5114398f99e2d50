package main

// phaseResult is what one mode was measured at, over one round or several.
type phaseResult struct {
	mode    *mode
	load    *loadResult
	windows []window // the measured part of each round
	peak    uint64   // memory, warm-up included
	failed  int64    // files that could not be read any more
}

// merge adds another round of the same mode.
func (r *phaseResult) merge(round *phaseResult) {
	r.load.merge(round.load)
	r.windows = append(r.windows, round.windows...)
	r.peak = max(r.peak, round.peak)
	r.failed += round.failed
}

// bulkRate is in MB/s of input.
func (r *phaseResult) bulkRate() float64 {
	var mb, seconds float64
	for _, w := range r.windows {
		mb += w.bulkRate() * w.seconds()
		seconds += w.seconds()
	}
	return mb / max(seconds, 1e-9)
}

// cpu is the share of the given number of CPUs that each class had, from 0 to 1.
func (r *phaseResult) cpu(procs int) (urgent, bulk float64) {
	var seconds float64
	for _, w := range r.windows {
		u, b := w.cpu(procs)
		urgent += u * w.seconds()
		bulk += b * w.seconds()
		seconds += w.seconds()
	}
	seconds = max(seconds, 1e-9)
	return urgent / seconds, bulk / seconds
}

// achieved is the rate at which answers came during the measured time.
func (r *phaseResult) achieved(cfg *config) float64 {
	return float64(r.load.Timely) / (cfg.schedule(r.mode).Duration.Seconds() * float64(max(len(r.windows), 1)))
}

// merge adds another round of the same schedule.
func (l *loadResult) merge(round *loadResult) {
	l.Latency.merge(&round.Latency)
	l.Late.merge(&round.Late)
	l.Offered += round.Offered
	l.Answered += round.Answered
	l.Timely += round.Timely
	l.Errors += round.Errors
	l.Unsent += round.Unsent
	l.Tail = max(l.Tail, round.Tail)
	l.Stall = max(l.Stall, round.Stall)
	if l.First == "" {
		l.First = round.First
	}
}
