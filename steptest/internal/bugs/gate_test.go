//go:build !race

package bugs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/steptest/internal/bugs"
)

// best is the median of schedules to each kernel's fault that the best strategy for it needed in the prototype with which this package was designed, a depth-first
// search left out. There was a different best one for almost every kernel, and none that found all; reorder-50 was found by none in more than half
// of the searches, so its number is a wish.
var best = map[string]int{
	"lost-update-2x1": 2, "lost-update-2x10": 1, "ab-ba": 2, "ab-ba-after-20": 4,
	"philosophers-3": 3, "philosophers-5": 6, "philosophers-8": 13,
	"buffer-2p1c": 4, "buffer-2p2c": 2,
	"reorder-3": 7, "reorder-10": 147, "reorder-50": 100, "twostage-10": 152,
	"bluetooth": 12, "late-store-25": 3, "lock-and-channel": 2, "double-close": 2,
}

// The portfolio needs no more than twice as many schedules as the best of its kind.
func TestPortfolioKeepsUp(t *testing.T) {
	const searches = 21
	for _, p := range bugs.Kernels() {
		t.Run(p.Name, func(t *testing.T) {
			most := 2 * best[p.Name]
			require.Positive(t, most)
			var all []int
			for seed := range searches {
				r := steptest.Search(p.Name, p.Buggy, limits(&p, 20*most, seed+1)...)
				if !r.Failed {
					r.Schedules++
				}
				all = append(all, r.Schedules)
			}
			slices.Sort(all)
			require.LessOrEqual(t, all[searches/2], most, "%v", all)
		})
	}
}
