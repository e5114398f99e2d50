package steptest

import (
	"fmt"
	"math"
	"strings"

	"github.com/lockstep-go/lockstep"
)

// RequireShares fails the schedule unless the time that the named queues of p have used so far, by the clock of the run, is as their shares are, each within the given
// part of its due (0.05 is 5 %). The queues must have had ready tasks all the time, on every worker, or their shares do not tell what is
// due; and time passes only by [T.Work]. Use it with [Policy].
func (t *T) RequireShares(p *lockstep.Pool, tolerance float64, queues ...string) {
	used, shares, all, sum := map[string]float64{}, map[string]float64{}, 0.0, 0.0
	for _, q := range p.Stats().Queues {
		used[q.Name], shares[q.Name] = q.RunTime.Seconds(), float64(q.Shares)
	}
	for _, name := range queues {
		if _, ok := shares[name]; !ok {
			t.Fatalf("RequireShares: the pool has no queue %q", name)
		}
		all += used[name]
		sum += shares[name]
	}
	var lines []string
	bad := false
	for _, name := range queues {
		due := shares[name] / sum
		got := used[name] / all
		note := ""
		if all == 0 || math.Abs(got-due) > tolerance*due {
			bad, note = true, "  <-"
		}
		lines = append(lines, fmt.Sprintf("%s: %.4f of the time, due %.4f%s", name, got, due, note))
	}
	if bad {
		t.Fatalf("unequal shares:\n%s", strings.Join(lines, "\n"))
	}
}
