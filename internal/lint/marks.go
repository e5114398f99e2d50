package lint

import (
	"math"
	"slices"
	"strings"
)

const markPrefix = "//lockstep:allow"

// A mark is a written exception from one rule over a range of lines.
type mark struct {
	rule, reason string
	line         int // where it stands
	last         int // the last line that it covers
	used         bool
}

// findMarks collects the marks of f. A mark reaches to the line after its
// comment, so that its reason may run on over several lines.
func findMarks(f *file) []*mark {
	var marks []*mark
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, markPrefix)
			if !ok {
				continue
			}
			name, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
			m := &mark{rule: name, reason: strings.TrimSpace(reason), line: f.line(c.Pos()), last: f.line(group.End()) + 1}
			if c.Pos() < f.syntax.Package {
				m.line, m.last = 1, math.MaxInt
			}
			marks = append(marks, m)
		}
	}
	return marks
}

// excused reports whether one of marks covers v, and notes which ones did.
func excused(marks []*mark, v finding) bool {
	hit := false
	for _, m := range marks {
		if m.rule == v.rule && m.line <= v.line && v.line <= m.last {
			m.used, hit = true, true
		}
	}
	return hit
}

// badMarks returns the marks of f that excuse nothing or do not say why. It
// has to be asked after the rules have run.
func (f *file) badMarks() []finding {
	var found []finding
	for _, m := range f.marks {
		v := finding{rule: "marks", path: f.path, line: m.line}
		switch {
		case !slices.ContainsFunc(rules, func(r rule) bool { return r.name == m.rule }):
			v.text = "no rule is called " + m.rule
		case m.reason == "":
			v.text = "an exception from " + m.rule + " has to give its reason"
		case !m.used:
			v.text = "nothing here breaks " + m.rule + " any more; remove the mark"
		default:
			continue
		}
		found = append(found, v)
	}
	return found
}
