package accept

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"time"
)

// Outcome is what a cell came to.
type Outcome struct {
	Cell Cell
	// Calls is how often the rewritten code started something.
	Calls int
	// Passed and Skipped count tests, subtests and examples.
	Passed, Skipped int
	Took            time.Duration
	// Problem is empty if the cell passed.
	Problem string
	// Log is the file with everything that the tests printed, with the stacks of a hang.
	Log string
}

var (
	verdict  = regexp.MustCompile(`--- (PASS|SKIP): `)
	timedOut = regexp.MustCompile(`(?m)^panic: test timed out after`)
	failures = []*regexp.Regexp{
		regexp.MustCompile(`--- FAIL: \S+`),
		regexp.MustCompile(`(?m)^(panic|fatal error): .*`),
		regexp.MustCompile(`WARNING: DATA RACE`),
	}
)

// count reads the log.
func (o *Outcome) count() {
	text, err := os.ReadFile(o.Log)
	if err != nil {
		return
	}
	for _, m := range verdict.FindAllSubmatch(text, -1) {
		if string(m[1]) == "PASS" {
			o.Passed++
		} else {
			o.Skipped++
		}
	}
	if o.Problem == "" {
		return
	}
	if timedOut.Match(text) {
		o.Problem = fmt.Sprintf("it hangs: %s; the stacks are in the log", o.Problem)
		return
	}
	for _, re := range failures {
		if m := re.Find(text); m != nil {
			o.Problem += "; " + string(m)
		}
	}
}

// Compare adds what only the control can tell: whether the pool was used as often as goroutines were, and
// whether as many tests ran.
func (o *Outcome) Compare(control Outcome) {
	if o.Problem != "" || control.Problem != "" {
		return
	}
	switch {
	case o.Passed != control.Passed || o.Skipped != control.Skipped:
		o.Problem = fmt.Sprintf("%d tests passed and %d were skipped, with goroutines %d and %d", o.Passed, o.Skipped, control.Passed, control.Skipped)
	case 100*max(o.Calls-control.Calls, control.Calls-o.Calls) > cmp.Or(o.Cell.Suite.Slack, 10)*control.Calls:
		o.Problem = fmt.Sprintf("%d tasks were started, with goroutines %d", o.Calls, control.Calls)
	}
}
