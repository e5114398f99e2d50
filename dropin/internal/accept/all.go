package accept

import (
	"context"
	"fmt"
	"io"
	"time"
)

// All runs the cells of the suites, tells progress to w, and returns every outcome. An
// error means that a suite could not be built, or that ctx ended.
func All(ctx context.Context, shop *Workshop, suites []Suite, m Matrix, w io.Writer) ([]Outcome, error) {
	total := 0
	for _, s := range suites {
		total += len(m.Cells(s))
	}
	var outcomes []Outcome
	for _, s := range suites {
		began := time.Now()
		r, err := shop.Rewrite(ctx, s)
		if err != nil {
			return outcomes, fmt.Errorf("%s: %w", s.Name, err)
		}
		rewritten, left := r.Result.Count()
		fmt.Fprintf(w, "%s: %d go statements rewritten, %d left alone, %.1f s\n", s.Name, rewritten, left, time.Since(began).Seconds())
		for _, f := range r.Result.Files {
			for _, site := range f.Sites {
				if site.Left != "" {
					fmt.Fprintf(w, "  %s: %s\n", site.Pos, site.Left)
				}
			}
		}
		binaries := map[bool]*Binaries{}
		controls := map[bool]Outcome{}
		for _, c := range m.Cells(s) {
			if binaries[c.Race] == nil {
				if binaries[c.Race], err = r.Build(ctx, c.Race); err != nil {
					return outcomes, fmt.Errorf("%s: %w", s.Name, err)
				}
			}
			o := binaries[c.Race].Run(ctx, c)
			if ctx.Err() != nil {
				return outcomes, context.Cause(ctx)
			}
			if c.Mode == Control {
				controls[c.Race] = o
			} else {
				o.Compare(controls[c.Race])
			}
			outcomes = append(outcomes, o)
			progress(w, o, len(outcomes), total)
		}
	}
	return outcomes, nil
}

func progress(w io.Writer, o Outcome, n, total int) {
	fmt.Fprintf(w, "[%d/%d] %s round %d: ", n, total, o.Cell, o.Cell.Round)
	if o.Problem == "" {
		fmt.Fprintf(w, "ok, %.1f s, %d tests, %d tasks\n", o.Took.Seconds(), o.Passed, o.Calls)
		return
	}
	fmt.Fprintf(w, "FAILED after %.1f s: %s\n  log: %s\n  again: go run ./cmd/acceptance %s\n", o.Took.Seconds(), o.Problem, o.Log, o.Cell.Again())
}

// Failed returns the outcomes with a problem.
func Failed(outcomes []Outcome) []Outcome {
	var failed []Outcome
	for _, o := range outcomes {
		if o.Problem != "" {
			failed = append(failed, o)
		}
	}
	return failed
}
