package main

import (
	"fmt"

	"github.com/lockstep-go/lockstep/bench/rival"
	"github.com/lockstep-go/lockstep/bench/workload"
)

// pick finds a cell of the report, or nil when it was not measured.
type pick func(*Report) (*Row, *Cell)

func at(w *workload.Workload, name string) pick { return atRow(w.Name, name) }

// atRow is at for rows that are further results of a workload, or another program's.
func atRow(row, name string) pick {
	return func(r *Report) (*Row, *Cell) {
		row := r.row(row)
		if row == nil {
			return nil, nil
		}
		return row, row.cell(name)
	}
}

func fastest(w *workload.Workload, kinds ...rival.Kind) pick { return fastestIn(w.Name, kinds...) }

func fastestIn(row string, kinds ...rival.Kind) pick {
	return func(r *Report) (*Row, *Cell) {
		row := r.row(row)
		if row == nil {
			return nil, nil
		}
		return row, row.fastest(kinds...)
	}
}

// ratioGoal asks for a to be at most a whole part of b.
func ratioGoal(what string, part int, a, b pick) goal {
	return goal{what: what, most: 1 / float64(part), target: fmt.Sprintf("1/%d", part), measure: both(a, b, ratio)}
}

// factorGoal asks for a to be at most a few percent more than b.
func factorGoal(what string, most float64, a, b pick) goal {
	return goal{what: what, most: most, target: fmt.Sprintf("%.2f×", most), measure: both(a, b, ratio)}
}

func noiseGoal(what string, beside, alone *workload.Workload) goal {
	return factorGoal("noise, "+what, 1.1, at(beside, rival.LockstepName), at(alone, rival.LockstepName))
}

// info is a ratio without a target.
func info(what string, a, b pick) goal {
	return goal{what: what, target: "none", measure: both(a, b, ratio)}
}

func valueGoal(what string, most float64, unit string, a pick) goal {
	return goal{
		what: what, most: most, target: number(most) + " " + unit, unit: unit,
		measure: func(r *Report) (float64, string, bool) {
			row, cell := a(r)
			if cell == nil || len(cell.Values) == 0 {
				return 0, "", false
			}
			return median(cell.Values), row.Name, true
		},
	}
}

func allocGoal(what string, w *workload.Workload) goal {
	return goal{
		what: what, most: nothing, target: fmt.Sprintf("none (below %.2f)", nothing), unit: "a task",
		measure: func(r *Report) (float64, string, bool) {
			row, cell := at(w, rival.LockstepName)(r)
			if cell == nil || len(cell.Allocs) == 0 {
				return 0, "", false
			}
			return median(cell.Allocs), row.Name, true
		},
	}
}

func differenceGoal(what string, most float64, unit string, a, b pick) goal {
	g := difference(what, unit, a, b)
	g.most, g.target = most, number(most)+" "+unit
	return g
}

// difference is how much more a takes than b, without a target.
func difference(what, unit string, a, b pick) goal {
	return goal{what: what, target: "none", unit: unit, measure: both(a, b, func(a, b *Cell) float64 {
		return pairwise(a, b, func(a, b float64) float64 { return a - b })
	})}
}

// both measures two cells against each other and names them, so that a reader can find the numbers in the table.
func both(a, b pick, f func(a, b *Cell) float64) func(*Report) (float64, string, bool) {
	return func(r *Report) (float64, string, bool) {
		rowA, cellA := a(r)
		rowB, cellB := b(r)
		if cellA == nil || cellB == nil || len(cellA.Values) == 0 || len(cellB.Values) == 0 {
			return 0, "", false
		}
		from := fmt.Sprintf("%s %s : %s %s", rowA.Name, cellA.Rival, rowB.Name, cellB.Rival)
		return f(cellA, cellB), from, true
	}
}
