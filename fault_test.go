package lockstep_test

import (
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-go/lockstep"
)

// Tests named TestDnn are reported faults of other pools and schedulers, by their number in docs/faults.md. Those that are
// short by default run in full length when LOCKSTEP_STRESS is set.

// stressTime is how long stress tests are to run, def if LOCKSTEP_STRESS does not say.
func stressTime(def time.Duration) (long time.Duration, set bool) {
	if d, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS")); err == nil {
		return d, true
	}
	return def, false
}

// rounds is how often a test tries: short, or full if LOCKSTEP_STRESS is set.
func rounds(short, full int) int {
	if _, set := stressTime(0); set {
		return full
	}
	return short
}

// reports collects stall reports until the test has what it looks for.
type reports chan lockstep.StallReport

func (r reports) handler() lockstep.Option {
	return lockstep.WithStallHandler(func(s lockstep.StallReport) {
		select {
		case r <- s:
		default: // nobody needs more of them
		}
	})
}

// with waits for a report whose stack contains text.
func (r reports) with(text string) lockstep.StallReport {
	for {
		if s := <-r; strings.Contains(string(s.Stack), text) {
			return s
		}
	}
}

// logged is a log that may be read while the pool writes it.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) contains(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

func (l *logged) option() lockstep.Option {
	return lockstep.WithLogger(slog.New(slog.NewTextHandler(l, nil)))
}

// meet makes n tasks of p wait natively until all of them have begun: there are n threads for them.
func meet(t *testing.T, p *lockstep.Pool, n int) {
	t.Helper()
	var met, ended sync.WaitGroup
	met.Add(n)
	ended.Add(n)
	for range n {
		p.Go(func() { met.Done(); met.Wait(); ended.Done() })
	}
	ended.Wait()
}
