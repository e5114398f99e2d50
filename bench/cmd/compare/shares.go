package main

import (
	"fmt"
	"io"
	"math"
)

// sharesTable shows what the second of two busy queues got of the CPU, against what its shares entitle it to.
func (r *Report) sharesTable(w io.Writer) {
	if len(r.Shares) == 0 {
		return
	}
	fmt.Fprintf(w, "### Shares over real time\n\n")
	tableHead(w, []string{"shares", "tasks a worker", "workers", "due %", "work done %", "worst worker %", "judged workers", "tolerance", "result"})
	for _, s := range r.Shares {
		worst := "—"
		if s.Judged > 0 {
			worst = number(s.Worst)
		}
		tableRow(w, []string{
			fmt.Sprintf("%d:%d", s.Case.Shares[0], s.Case.Shares[1]),
			fmt.Sprintf("%d:%d", s.Case.Tasks[0], s.Case.Tasks[1]),
			fmt.Sprint(s.Workers),
			number(s.Due), number(s.Got), worst, fmt.Sprint(s.Judged),
			fmt.Sprintf("±%s", number(s.Tolerance)), metOrMissed(s.Met()),
		})
	}
	fmt.Fprintf(w, "\nPercentages are the second queue's. Shares hold on every worker; the work done is pool-wide and counted by the "+
		"tasks, the worst worker is by the pool's statistics.\n\n")
}

// sharesVerdict is the line of the shares among what is to be reached: all cases have to be met.
func (r *Report) sharesVerdict() verdict {
	v := verdict{What: "shares over real time, per worker", Target: "within 2 percentage points, or two quanta", Measured: "—", Result: "not run"}
	if len(r.Shares) == 0 {
		return v
	}
	met, furthest := 0, 0.0
	for _, s := range r.Shares {
		if s.Met() {
			met++
		}
		furthest = max(furthest, math.Abs(s.Worst-s.Due))
		if s.Workers == 1 {
			furthest = max(furthest, math.Abs(s.Got-s.Due))
		}
	}
	v.Measured = fmt.Sprintf("%s points off at most", number(furthest))
	v.From = fmt.Sprintf("%d of %d cases met", met, len(r.Shares))
	v.Result = metOrMissed(met == len(r.Shares))
	return v
}

func metOrMissed(met bool) string {
	if met {
		return "met"
	}
	return "**missed**"
}
