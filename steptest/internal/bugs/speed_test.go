//go:build !race

package bugs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/steptest/internal/bugs"
)

// BenchmarkSchedules tells how many schedules, and steps of tasks, a second one core makes: of mended twins, as most tests of most people
// find nothing. One operation is a thousand schedules.
//
//	go test -run '^$' -bench Schedules ./steptest/internal/bugs
func BenchmarkSchedules(b *testing.B) {
	all := bugs.Kernels()
	for _, name := range []string{"lost-update-2x1", "ab-ba", "lock-and-channel", "buffer-2p1c", "philosophers-5", "reorder-50"} {
		p := all[slices.IndexFunc(all, func(p bugs.Program) bool { return p.Name == name })]
		for _, strategy := range []string{"random", "pct3", "surw", "portfolio"} {
			b.Run(name+"/"+strategy, func(b *testing.B) {
				b.ReportAllocs()
				schedules, steps, seed := 0, int64(0), 0
				for b.Loop() {
					s, err := steptest.ParseStrategy(strategy)
					require.NoError(b, err)
					seed++
					r := steptest.Search(name, p.Fixed, append(limits(&p, 1000, seed), steptest.Strategies(s))...)
					require.False(b, r.Failed, r.Text)
					schedules += r.Schedules
					steps += r.Steps
				}
				b.ReportMetric(float64(schedules)/b.Elapsed().Seconds(), "schedules/s")
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
				b.ReportMetric(float64(steps)/float64(schedules), "steps/schedule")
			})
		}
	}
}
