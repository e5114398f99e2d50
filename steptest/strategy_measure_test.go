package steptest_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-go/lockstep/steptest"
)

// TestStrategyTable prints the median and the 95th percentile of the schedules to each fault.
func TestStrategyTable(t *testing.T) {
	if os.Getenv("STEPTEST_TABLE") == "" {
		t.Skip("set STEPTEST_TABLE")
	}
	columns := map[string]func() steptest.Strategy{
		"random": steptest.Random, "urw": steptest.URW, "surw": steptest.SURW, "abreast": steptest.Abreast, "pos": steptest.POS, "starve": steptest.Starving, "portfolio": steptest.Portfolio,
		"pct2":  func() steptest.Strategy { return steptest.PCT(2) },
		"pct3":  func() steptest.Strategy { return steptest.PCT(3) },
		"fair":  func() steptest.Strategy { return steptest.Fair(1) },
		"dfs:1": func() steptest.Strategy { return steptest.Bounded(1) },
		"dfs:2": func() steptest.Strategy { return steptest.Bounded(2) },
	}
	names := strings.Split(os.Getenv("STEPTEST_TABLE"), ",")
	b := newBench()
	defer b.close()
	out := fmt.Sprintf("%-18s", "kernel")
	for _, n := range names {
		out += fmt.Sprintf("%14s", n)
	}
	most, seeds := 3000, 50
	for _, k := range kernels {
		p, failed := b.first(k.body)
		out += fmt.Sprintf("\n%-18s", k.name)
		for _, n := range names {
			var found []int
			count := seeds
			if strings.HasPrefix(n, "dfs") || n == "fair" {
				count = 1
			}
			for seed := range count {
				found = append(found, b.find(columns[n](), p, uint64(seed)+1, most, k.body))
			}
			slices.Sort(found)
			out += fmt.Sprintf("%14s", fmt.Sprintf("%d / %d", found[len(found)/2], found[len(found)*95/100]))
		}
		out += fmt.Sprintf("  %d tasks %d steps %d shared, first %v", p.Tasks, p.Steps, p.Shared, failed)
	}
	fmt.Println(out)
}
