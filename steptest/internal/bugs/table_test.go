//go:build !race

package bugs_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/steptest/internal/bugs"
)

var (
	tableTo      = flag.String("bugs.table", "", "write the table of schedules to each fault to this file")
	tableSeeds   = flag.Int("bugs.seeds", 100, "searches for each number of the table")
	tableCap     = flag.Int("bugs.cap", 20_000, "schedules of a search at most")
	tableSteps   = flag.Int("bugs.steps", 200_000_000, "steps of all searches for a number at most, about; there are fewer searches then, 10 at least")
	tableOf      = flag.String("bugs.of", "", "programs of the table, a regular expression; by default the kernels")
	tableColumns = flag.String("bugs.strategies", "random,pct2,pct3,pos,urw,dfs:1,dfs:2,dfs,portfolio", "columns of the table")
)

// TestTable measures how many schedules each strategy needs. The run from which estimates are made, a random walk that precedes all others, is
// not counted, and seeds with which it finds the fault already are left out. The portfolio's is one of its own, and counts.
//
//	go test -run TestTable -timeout 1h ./steptest/internal/bugs -bugs.table=table.md
func TestTable(t *testing.T) {
	if *tableTo == "" {
		t.Skip("set -bugs.table")
	}
	programs := bugs.Kernels()
	if *tableOf != "" {
		of := regexp.MustCompile(*tableOf)
		programs = slices.DeleteFunc(bugs.All(), func(p bugs.Program) bool { return !of.MatchString(p.Name) })
	}
	columns := strings.Split(*tableColumns, ",")
	var b strings.Builder
	fmt.Fprintf(&b, "| program | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)+1))
	for _, p := range programs {
		fmt.Fprintf(&b, "| %s |", p.Name)
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", needed(t, &p, c))
		}
		b.WriteString("\n")
		require.NoError(t, os.WriteFile(*tableTo, []byte(b.String()), 0o644)) // so that one sees how far it is
	}
}

// needed is the median and the 95th percentile of the schedules to the fault, as a cell of the table.
func needed(t *testing.T, p *bugs.Program, column string) string {
	n, most := *tableSeeds, *tableCap
	if strings.HasPrefix(column, "dfs") {
		n = 1 // it draws nothing
	}
	missed, spent := 0, 0
	var all []int
	for seed := 1; len(all) < n && seed <= 50*n; seed++ {
		s, err := steptest.ParseStrategy(column)
		require.NoError(t, err)
		r := steptest.Search(p.Name, p.Buggy, append(limits(p, most, seed), steptest.Strategies(s), steptest.EarlyTimers(false))...)
		if column != "portfolio" {
			if r.Strategy == "first run" {
				continue // that was a random walk, whatever the strategy
			}
			r.Schedules--
		}
		if !r.Failed {
			r.Schedules = most + 1
			missed++
		}
		all = append(all, r.Schedules)
		// A miss costs the most and says little more than the last one did.
		if spent += int(r.Steps); spent > *tableSteps && len(all) >= 10 {
			break
		}
	}
	if len(all) == 0 {
		return "1" // in the first run, whatever the seed
	}
	slices.Sort(all)
	median, high := all[len(all)/2], all[len(all)*95/100]
	switch {
	case n == 1 && missed > 0:
		return "-"
	case n == 1:
		return fmt.Sprint(median)
	case median > most:
		return fmt.Sprintf("-, %d/%d", len(all)-missed, len(all))
	case high > most:
		return fmt.Sprintf("%d, %d/%d", median, len(all)-missed, len(all))
	}
	return fmt.Sprintf("%d / %d", median, high)
}
