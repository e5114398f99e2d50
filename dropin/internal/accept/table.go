package accept

import (
	"fmt"
	"slices"
	"strings"
)

// Table returns the outcomes in Markdown: a column for each suite, a row for each pool that was
// tried, with how many of the runs passed and what the slowest took.
func Table(outcomes []Outcome) string {
	var suites, rows []string
	cells := map[[2]string][]Outcome{}
	for _, o := range outcomes {
		suite, row := o.Cell.Suite.Name, o.Cell.row()
		if !slices.Contains(suites, suite) {
			suites = append(suites, suite)
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		cells[[2]string{suite, row}] = append(cells[[2]string{suite, row}], o)
	}
	var b strings.Builder
	line := func(first string, cell func(suite string) string) {
		b.WriteString("| " + first + " |")
		for _, s := range suites {
			b.WriteString(" " + cell(s) + " |")
		}
		b.WriteString("\n")
	}
	line("", func(suite string) string { return suite })
	b.WriteString("|" + strings.Repeat("---|", len(suites)+1) + "\n")
	if control := (Cell{Mode: Control}).row(); slices.Contains(rows, control) {
		line("tests", func(suite string) string { return first(cells[[2]string{suite, control}], Outcome.tests) })
		line("tasks", func(suite string) string { return first(cells[[2]string{suite, control}], Outcome.tasks) })
	}
	for _, row := range rows {
		line(row, func(suite string) string { return summary(cells[[2]string{suite, row}]) })
	}
	return b.String()
}

func (o Outcome) tests() int { return o.Passed }
func (o Outcome) tasks() int { return o.Calls }

func first(outcomes []Outcome, number func(Outcome) int) string {
	if len(outcomes) == 0 {
		return ""
	}
	return fmt.Sprint(number(outcomes[0]))
}

// row names the pool of a cell, and whether the race detector watched.
func (c Cell) row() string {
	text := "plain goroutines"
	if c.Mode != Control {
		text = c.Mode + ", " + workersText(c.Workers)
	}
	if c.Race {
		text += ", -race"
	}
	return text
}

func summary(runs []Outcome) string {
	if len(runs) == 0 {
		return ""
	}
	passed, slowest := 0, runs[0].Took
	for _, o := range runs {
		if o.Problem == "" {
			passed++
		}
		slowest = max(slowest, o.Took)
	}
	text := fmt.Sprintf("%d/%d, %.1f s", passed, len(runs), slowest.Seconds())
	if passed < len(runs) {
		text = "**" + text + "**"
	}
	return text
}
