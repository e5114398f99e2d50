package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// markdown writes the whole report. Every row that was measured is in it, lost or won.
func (r *Report) markdown(w io.Writer) {
	r.heading(w)
	for _, group := range r.groups() {
		timeTable(w, group)
	}
	r.absences(w)
	r.allocations(w)
	r.sharesTable(w)
	r.rustTable(w)
	r.reachTable(w)
	r.rivals(w)
}

func (r *Report) heading(w io.Writer) {
	s := r.Setting
	fmt.Fprintf(w, "## Measured\n\n")
	if s.Quick {
		fmt.Fprintf(w, "**A quick run: it proves that every row runs. Its numbers mean nothing.**\n\n")
	}
	fmt.Fprintf(w, "%s, %s %s/%s, %d CPUs, GOMAXPROCS %d, %d workers; %d rounds in one process, one measurement of every rival "+
		"in each, rotating order.\n", s.Date.Format("2006-01-02"), s.Go, s.OS, s.Arch, s.CPUs, s.GOMAXPROCS, s.Workers, s.Rounds)
	fmt.Fprintf(w, "Cells are medians ± half the interquartile range. The least of a row is bold. Ratios are medians of the "+
		"ratios within a round.\n\n")
}

// groups puts rows with the same columns into one table: the rows that only some rivals can have would fill the
// large table with empty cells.
func (r *Report) groups() [][]*Row {
	var groups [][]*Row
	index := make(map[string]int)
	for _, row := range r.Rows {
		key := strings.Join(row.workload.Only, " ")
		at, ok := index[key]
		if !ok {
			at = len(groups)
			index[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], row)
	}
	return groups
}

// columns are the rivals that have a cell in at least one of the rows.
func columns(rows []*Row) []rival.Entry {
	return slices.DeleteFunc(rival.All(), func(e rival.Entry) bool {
		return !slices.ContainsFunc(rows, func(r *Row) bool { return r.cell(e.Name) != nil })
	})
}

func timeTable(w io.Writer, rows []*Row) {
	entries := columns(rows)
	header := []string{"row", "what", "unit"}
	for _, e := range entries {
		header = append(header, e.Name)
	}
	has := func(k rival.Kind) bool {
		return slices.ContainsFunc(entries, func(e rival.Entry) bool { return e.Kind == k })
	}
	if has(rival.Statement) {
		header = append(header, "lockstep : go")
	}
	if has(rival.Rival) {
		header = append(header, "lockstep : fastest pool")
	}
	tableHead(w, header)
	for _, row := range rows {
		cells := []string{row.Name, row.Title, row.Unit}
		best := row.fastest(rival.Statement, rival.Rival, rival.Lockstep)
		for _, e := range entries {
			cells = append(cells, timeCell(row.cell(e.Name), best, len(entries) > 1))
		}
		if has(rival.Statement) {
			cells = append(cells, row.against(row.fastest(rival.Statement), false))
		}
		if has(rival.Rival) {
			cells = append(cells, row.against(row.fastest(rival.Rival), true))
		}
		tableRow(w, cells)
	}
	fmt.Fprintln(w)
}

// timeCell leaves lockstep's variants out of the contest: they are there to be compared with lockstep.
func timeCell(c, best *Cell, contest bool) string {
	if c == nil {
		return "—"
	}
	text := number(median(c.Values))
	if contest && c == best {
		text = "**" + text + "**"
	}
	return fmt.Sprintf("%s ±%.0f %%", text, spread(c.Values))
}

// against is lockstep's ratio to another cell, with that one's name where the column does not say it.
func (r *Row) against(other *Cell, named bool) string {
	own := r.cell(rival.LockstepName)
	if own == nil || other == nil {
		return "—"
	}
	text := times(ratio(own, other))
	if named {
		text += " " + other.Rival
	}
	return text
}

// absences says why cells are empty, once for every reason.
func (r *Report) absences(w io.Writer) {
	rows := make(map[string][]string)
	for _, a := range r.absent {
		key := "`" + a.rival + "`: " + a.why
		rows[key] = append(rows[key], a.row)
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "* %s (%s).\n", key, strings.Join(rows[key], ", "))
	}
	if len(rows) > 0 {
		fmt.Fprintln(w)
	}
}

// allocations is a table of its own, because a rival can be fast by leaving the work to the collector.
func (r *Report) allocations(w io.Writer) {
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row *Row) bool {
		return !row.workload.Timed() || len(row.workload.Only) > 0
	})
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "### Allocations per operation\n\n")
	entries := columns(rows)
	header := []string{"row"}
	for _, e := range entries {
		header = append(header, e.Name)
	}
	tableHead(w, header)
	for _, row := range rows {
		cells := []string{row.Name}
		for _, e := range entries {
			text := "—"
			if c := row.cell(e.Name); c != nil {
				text = fmt.Sprintf("%.2f (%s B)", median(c.Allocs), number(median(c.Bytes)))
			}
			cells = append(cells, text)
		}
		tableRow(w, cells)
	}
	fmt.Fprintln(w)
}

// rivals says how each rival was used, and in which version.
func (r *Report) rivals(w io.Writer) {
	fmt.Fprintf(w, "### How each rival is used\n\n")
	for _, e := range rival.All() {
		version := r.Setting.Versions[e.Module]
		if version == "" || e.Kind == rival.Lockstep || e.Kind == rival.Variant {
			fmt.Fprintf(w, "* `%s`: %s.\n", e.Name, e.Note)
			continue
		}
		fmt.Fprintf(w, "* `%s` (%s %s): %s.\n", e.Name, e.Module, version, e.Note)
	}
}

func tableHead(w io.Writer, header []string) {
	tableRow(w, header)
	fmt.Fprintln(w, "|"+strings.Repeat("---|", len(header)))
}

func tableRow(w io.Writer, cells []string) { fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |") }
