package queue_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden sequences anew")

// TestGoldenSequences freezes who runs when, in scenarios small enough to be checked
// by eye: each line is one run of a task, with its tick, begin, end (in µs), queue, name
// and how it ended. A change of the rule shows as a diff here first.
func TestGoldenSequences(t *testing.T) {
	const q = 100 * us // so that a yielder's floor fits in five times
	for name, c := range map[string]struct {
		until time.Duration
		setup func(*worker)
	}{
		"shares-1-1": {600 * us, func(w *worker) {
			w.lane("a", 1).spawn("a1", busy(25*us))
			w.lane("b", 1).spawn("b1", busy(25*us))
		}},
		"shares-1-2": {900 * us, func(w *worker) {
			w.lane("a", 1).spawn("a1", busy(25*us))
			w.lane("b", 2).spawn("b1", busy(25*us))
		}},
		"shares-1-2-changed-to-2-1": {1200 * us, func(w *worker) {
			a, b := w.lane("a", 1), w.lane("b", 2)
			a.spawn("a1", busy(25*us))
			b.spawn("b1", busy(25*us))
			w.at(600*us, func() { w.s.SetShares(a.Queue, 2); w.s.SetShares(b.Queue, 1) })
		}},
		"ties-by-queue": {700 * us, func(w *worker) {
			a, b, c := w.lane("a", 1), w.lane("b", 1), w.lane("c", 1)
			for _, l := range []*lane{c, a, b} { // the order in which they wake does not count
				l.spawn(l.name+"1", busy(100*us))
			}
		}},
		"fifo-in-a-queue": {700 * us, func(w *worker) {
			a := w.lane("a", 1)
			for _, name := range []string{"a1", "a2", "a3"} {
				a.spawn(name, func(k *task) { k.work(60 * us); k.yieldIfNeeded(); k.work(60 * us) })
			}
		}},
		"yielder-beside-worker": {330 * us, func(w *worker) {
			w.lane("a", 1).spawn("spin", spin(0))
			w.lane("b", 1).spawn("work", busy(25*us))
		}},
		"yielder-in-the-workers-queue": {450 * us, func(w *worker) {
			a := w.lane("a", 1)
			a.spawn("spin", spin(0))
			a.spawn("work", busy(25*us))
		}},
		"ping-pong": {360 * us, func(w *worker) {
			w.lane("a", 1).circle(2, 10*us, false)
			w.lane("b", 1).spawn("work", busy(25*us))
		}},
		"ping-pong-across-queues": {300 * us, func(w *worker) {
			a, b := w.lane("a", 1), w.lane("b", 1)
			var ping, pong *task
			ping = a.spawn("ping", func(k *task) {
				for {
					k.work(10 * us)
					k.wake(pong)
					k.park()
				}
			})
			pong = b.spawn("pong", func(k *task) {
				for {
					k.park()
					k.work(10 * us)
					k.wake(ping)
				}
			})
			b.spawn("work", busy(25*us))
		}},
		"spawn-chain": {400 * us, func(w *worker) {
			a := w.lane("a", 1)
			var link func(*task)
			link = func(k *task) { k.work(20 * us); k.lane.spawn("link", link) }
			a.spawn("link", link)
			a.spawn("other", func(k *task) { k.work(20 * us); k.yield(); k.work(20 * us) })
			w.lane("b", 1).spawn("work", busy(25*us))
		}},
		"sleeper-comes-back": {1200 * us, func(w *worker) {
			w.lane("a", 1).spawn("work", busy(25*us))
			w.lane("b", 1).spawn("nap", func(k *task) {
				k.work(50 * us)
				k.sleep(500 * us)
				for range 3 {
					k.work(100 * us)
					k.yieldIfNeeded()
				}
			})
		}},
		"latency-preempts": {600 * us, func(w *worker) {
			w.lane("a", 1).spawn("work", busy(10*us))
			w.urgentLane("u", 10, 30*us).spawn("req", func(k *task) {
				for {
					k.sleep(130 * us)
					k.work(15 * us)
				}
			})
		}},
		"latency-shortens-the-quantum": {400 * us, func(w *worker) {
			w.lane("a", 1).spawn("work", busy(10*us))
			w.urgentLane("u", 1, 30*us).spawn("long", busy(10*us))
		}},
		"lone-yielder": {60 * us, func(w *worker) { w.lane("a", 1).spawn("spin", spin(20*us)) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, q)
			w.trace = &strings.Builder{}
			c.setup(w)
			w.run(c.until)
			compareGolden(t, name, "tick      from        to  queue  task   ends by\n"+w.trace.String())
		})
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./queue -run Golden -update writes it")
	require.Equal(t, string(want), got)
}
