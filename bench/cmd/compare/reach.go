package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// goal is a line of the table of what lockstep has to reach.
type goal struct {
	what string
	// most is the greatest value that counts as reached. Zero means that there is no target: the line is there
	// because the number belongs beside the others.
	most float64
	// target and unit are how most is written.
	target, unit string
	// measure returns the value and how it came about; ok is false when the rows it needs were not run.
	measure func(*Report) (value float64, from string, ok bool)
}

// verdict is a goal after measuring.
type verdict struct {
	What, Target, Measured, From, Result string
}

// nothing is what an allocation-free operation may show: queues and stacks that grow are allocated too, a few for
// thousands of tasks, and go test itself rounds such fractions down.
const nothing = 0.05

// reach evaluates every goal.
func (r *Report) reach() []verdict {
	var vs []verdict
	for _, g := range slices.Concat(goals(), systemGoals()) {
		v := verdict{What: g.what, Target: g.target, Measured: "—", Result: "not run"}
		if value, from, ok := g.measure(r); ok {
			v.Measured, v.From = number(value)+" "+g.unit, from
			if g.unit == "" {
				v.Measured = times(value)
			}
			v.Result = result(value, g.most)
		}
		vs = append(vs, v)
	}
	return append(vs, r.sharesVerdict())
}

func result(value, most float64) string {
	switch {
	case most == 0:
		return "no target"
	case math.IsNaN(value):
		return "not run"
	case value <= most:
		return "met"
	}
	return "**missed**"
}

func (r *Report) reachTable(w io.Writer) {
	fmt.Fprintf(w, "### To reach\n\n")
	tableHead(w, []string{"what", "at most", "measured", "from", "result"})
	for _, v := range r.reach() {
		tableRow(w, []string{v.What, v.Target, v.Measured, v.From, v.Result})
	}
	fmt.Fprintf(w, "\nMeasured elsewhere: the cost of the reentrancy detector, which needs two builds, and the latency of requests "+
		"over a network under mixed load, which is `examples/mixedload`.\n\n")
}
