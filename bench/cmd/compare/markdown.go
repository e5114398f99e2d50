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
func (r *Report) markdown(w io.Writer, o options) {
	r.heading(w)
	for _, group := range r.groups() {
		r.timeTable(w, group)
	}
	r.absences(w)
	r.allocations(w)
	r.sharesTable(w)
	if o.plots != "" {
		r.plotLinks(w, o.plots, o.out)
	}
	r.reachTable(w)
	r.rivals(w)
}

func (r *Report) heading(w io.Writer) {
	s := r.Setting
	fmt.Fprintf(w, "## Measured\n\n")
	if s.Short {
		fmt.Fprintf(w, "**A short run: it proves that every row runs. Its numbers mean nothing.**\n\n")
	}
	if s.GaveUp {
		fmt.Fprintf(w, "**Given up before the end: the machine was too busy with other things. Rows have fewer rounds than asked for, "+
			"or are missing.**\n\n")
	}
	fmt.Fprintf(w, "%s, %s %s/%s, %d CPUs, GOMAXPROCS %d, %d workers; %d rounds in one process, one measurement of every rival "+
		"in each, rotating order.\n", s.Date.Format("2006-01-02"), s.Go, s.OS, s.Arch, s.CPUs, s.GOMAXPROCS, s.Workers, s.Rounds)
	fmt.Fprintf(w, "Cells are medians ± half the interquartile range. The least of a row is bold. Ratios are medians of the "+
		"ratios within a round. %s\n\n", s.quiet())
}

// quiet says how far the machine was left alone.
func (s Setting) quiet() string {
	switch {
	case s.Short:
		return "Nobody looked whether the machine did something else."
	case !s.Judged:
		return "Whether the machine did something else meanwhile is not known: this system does not tell."
	}
	text := fmt.Sprintf("%d rounds of a row were measured again because others took more than %g %% of the machine", s.Rejected, s.Disturbance)
	if s.RejectedRust > 0 {
		text += fmt.Sprintf(", %d of them of the Rust rivals", s.RejectedRust)
	}
	return text + "."
}

// groups puts rows with the same columns into one table: the rows that only some rivals can have would fill the
// large table with empty cells.
func (r *Report) groups() [][]*Row {
	var groups [][]*Row
	index := make(map[string]int)
	for _, row := range r.Rows {
		key := strings.Join(row.only(), " ")
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

// entries are the rivals that have a cell in at least one of the rows: ours in their order, then the others.
func (r *Report) entries(rows []*Row) []rival.Entry {
	all := rival.All()
	for _, row := range r.Rows {
		for _, c := range row.Cells {
			if c.entry.Kind == rival.External && !slices.ContainsFunc(all, func(e rival.Entry) bool { return e.Name == c.Rival }) {
				all = append(all, c.entry)
			}
		}
	}
	return slices.DeleteFunc(all, func(e rival.Entry) bool {
		return !slices.ContainsFunc(rows, func(r *Row) bool { return r.cell(e.Name) != nil })
	})
}

func (r *Report) timeTable(w io.Writer, rows []*Row) {
	entries := r.entries(rows)
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
	if has(rival.External) && has(rival.Lockstep) {
		header = append(header, "lockstep : fastest in Rust")
	}
	tableHead(w, header)
	for _, row := range rows {
		cells := []string{row.Name, row.Title, row.Unit}
		best := row.fastest(rival.Statement, rival.Rival, rival.Lockstep, rival.External)
		for _, e := range entries {
			cells = append(cells, timeCell(row.cell(e.Name), best, len(entries) > 1))
		}
		if has(rival.Statement) {
			cells = append(cells, row.against(row.fastest(rival.Statement), false))
		}
		if has(rival.Rival) {
			cells = append(cells, row.against(row.fastest(rival.Rival), true))
		}
		if has(rival.External) && has(rival.Lockstep) {
			cells = append(cells, row.against(row.fastest(rival.External), true))
		}
		tableRow(w, cells)
	}
	fmt.Fprintln(w)
}

// timeCell leaves lockstep's variants out of the contest: they are there to be compared with lockstep.
func timeCell(c, best *Cell, contest bool) string {
	if c == nil || len(c.Values) == 0 {
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
		return row.derived || len(row.only()) > 0 || !row.workload.Timed()
	})
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "### Allocations per operation\n\n")
	entries := slices.DeleteFunc(r.entries(rows), func(e rival.Entry) bool { return e.Kind == rival.External })
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
	for _, e := range r.Setting.External {
		fmt.Fprintf(w, "* `%s`: %s.\n", e.Rival, e.Note)
	}
	r.notes(w)
}

// notes says what other programs have to say about single cells, each thing once.
func (r *Report) notes(w io.Writer) {
	rows := make(map[string][]string)
	for _, row := range r.Rows {
		for _, c := range row.Cells {
			if c.Note != "" {
				key := "`" + c.Rival + "`, " + c.Note
				rows[key] = append(rows[key], row.Name)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "* %s: %s.\n", key, strings.Join(rows[key], ", "))
	}
}

func tableHead(w io.Writer, header []string) {
	tableRow(w, header)
	fmt.Fprintln(w, "|"+strings.Repeat("---|", len(header)))
}

func tableRow(w io.Writer, cells []string) { fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |") }
