package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
)

// reasons says why mutants survive: key, a tab, and the reason.
//
//go:embed reasons.txt
var reasons string

func reasonOf(m *mutant) string {
	for line := range strings.Lines(reasons) {
		if key, why, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && key == m.key() {
			return why
		}
	}
	return "not explained"
}

// writeReport writes the score and the survivors.
func writeReport(file string, mutants []*mutant) error {
	var b strings.Builder
	b.WriteString(`# Mutation run

What the suites of schedules (` + "`TestStep*`" + `) notice of faults in the library's own synchronisation. One at a time, each lock, unlock, wake, count and atomic
transition of the files below is taken away: a call is dropped; a compare-and-swap does not compare, or is a load and a store with a moment in between;
a claim is not made, or counts as won if it is not. The suites then run with a second of schedules for each test. Counts for figures
and for the guess of ` + "`chans/linger.go`" + ` are left out, and so are what starts threads or is the monitor's (` + "`spareHelper`, `retireHelpers`, `rouse`" + `), and the owner's side of
the biased lock (` + "`w.mu.Enter`, `Exit`" + `), inside of which there are no points: these are for the tests on real threads. Run it with ` + "`go run ./internal/mutate`" + `.

`)
	n := count(mutants)
	fmt.Fprintf(&b, "**%d of %d mutants are killed: %.1f %%.** \n\n", n[killed], n[killed]+n[survived], percent(n))
	b.WriteString("| file | killed | survived | score |\n|---|--:|--:|--:|\n")
	for _, t := range targets {
		for _, f := range t.files {
			if n := count(of(mutants, f)); n[killed]+n[survived] > 0 {
				fmt.Fprintf(&b, "| `%s` | %d | %d | %.0f %% |\n", f, n[killed], n[survived], percent(n))
			}
		}
	}
	b.WriteString("\n## Survivors\n\n| where | what | why it survives |\n|---|---|---|\n")
	for _, m := range mutants {
		if m.state == survived {
			fmt.Fprintf(&b, "| `%s`, %s | `%s` %s | %s |\n", m.file, m.function, strings.ReplaceAll(m.before, "|", `\|`), m.what, reasonOf(m))
		}
	}
	b.WriteString("\n## By which test\n\n| test | kills |\n|---|--:|\n")
	kills, order := map[string]int{}, []string{}
	for _, m := range mutants {
		if m.state == killed {
			name, _, _ := strings.Cut(m.by, " (")
			if kills[name]++; kills[name] == 1 {
				order = append(order, name)
			}
		}
	}
	for _, name := range order {
		fmt.Fprintf(&b, "| %s | %d |\n", name, kills[name])
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

func of(mutants []*mutant, file string) (found []*mutant) {
	for _, m := range mutants {
		if m.file == file {
			found = append(found, m)
		}
	}
	return found
}

func count(mutants []*mutant) map[state]int {
	n := map[state]int{}
	for _, m := range mutants {
		n[m.state]++
	}
	return n
}

func percent(n map[state]int) float64 {
	if all := n[killed] + n[survived]; all > 0 {
		return 100 * float64(n[killed]) / float64(all)
	}
	return 100
}
