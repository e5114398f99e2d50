package steptest

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// failure makes sure of a failure, shrinks it, keeps it and puts it into words.
func (x *explorer) failure(f *failure, by string) report {
	took := time.Since(x.began)
	tried := x.tried
	unfit := ""
	if x.rec.unfit() {
		unfit = ", which does not fit the program any more"
	}
	if x.abandoned.Load() {
		return report{}
	}
	race := f.kind == kindRace // the detector reports each only once in a process
	if f.kind != kindStrays && f.kind != kindForeign && !race {
		for range 3 {
			again := x.run(f.schedule)
			if again != nil && again.kind == kindForeign { // late
				f = again
				break
			}
			if !f.same(again) || again.print != f.print {
				f = &failure{schedule: f.schedule, kind: kindStrays, text: "it began as: " + string(f.kind) + ": " + firstLine(f.text), from: f.from}
				break
			}
		}
	}
	if f.kind == kindForeign {
		return report{failed: true, text: "steptest: " + string(kindForeign) + ": " + f.text + "\n"}
	}
	if f.kind == kindStrays {
		return report{failed: true, text: x.straying(f)}
	}
	steps := len(f.choices)
	if f.from == "" && by != "replay" && by != "fuzz" && !race {
		f = x.shrink(f)
	}
	tr, last := x.record(f.schedule)
	if last == nil || race {
		last = f
	}
	last.from = f.from
	var b strings.Builder
	fmt.Fprintf(&b, "steptest: %s", last.kind)
	switch by {
	case "replay":
		b.WriteString(" in the replayed schedule" + unfit)
	case "fuzz":
		b.WriteString(" in the schedule of the input")
	case "pinned":
		fmt.Fprintf(&b, " in the schedule of %s%s", f.from, unfit)
	default:
		fmt.Fprintf(&b, " in schedule %d (%s)", tried, by)
		if steps > len(last.choices) {
			fmt.Fprintf(&b, ", shrunk from %d choices to %d", steps, len(last.choices))
		}
	}
	fmt.Fprintf(&b, "\n\n%s\n", indent(strings.TrimRight(last.text, "\n"), "    "))
	b.WriteString("\n" + tr.String())
	if len(x.t.logs) > 0 {
		b.WriteString("\n    logged:\n" + indent(strings.TrimRight(strings.Join(x.t.logs, ""), "\n"), "      ") + "\n")
	}
	if len(last.stack) > 0 {
		b.WriteString("\n    stack:\n" + indent(strings.TrimRight(string(last.stack), "\n"), "      ") + "\n")
	}
	if by == "fuzz" {
		return report{failed: true, text: b.String()}
	}
	b.WriteString("\n" + x.replayText(last, by))
	if by != "replay" && by != "pinned" {
		fmt.Fprintf(&b, "    tried:   %d schedules in %v, seed %#x\n", tried, took.Round(time.Microsecond), x.seed)
	}
	return report{failed: true, text: b.String()}
}

// replayText says how to repeat the failure, and where it is kept.
func (x *explorer) replayText(f *failure, by string) string {
	token := f.token()
	text := ""
	if f.from == "" && x.c.pins && by != "replay" {
		if name, err := pin(x.name, f); err != nil {
			text = fmt.Sprintf("    not kept: %v\n", err)
		} else {
			f.from = name
		}
	}
	if f.from != "" {
		text = fmt.Sprintf("    kept:    %s\n", f.from)
	}
	if len(token) > tokenMost && f.from != "" {
		token = f.from
	}
	return fmt.Sprintf("    replay:  go test -run %s -steptest.replay=%s\n%s", runPattern(x.name), token, text)
}

// runPattern is what go test -run takes for one test, or subtest, quoted for a shell.
func runPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return "'" + strings.ReplaceAll(strings.Join(parts, "/"), "'", `'\''`) + "'"
}

// traced is the trace of a schedule that does not fail.
func (x *explorer) traced(s schedule) string {
	tr, _ := x.record(s)
	return "steptest: the schedule does not fail\n" + tr.String()
}

// straying compares two runs of one schedule and says where they part.
func (x *explorer) straying(f *failure) string {
	one, _ := x.record(f.schedule)
	first := one.lines
	two, _ := x.record(f.schedule)
	text := "steptest: uncontrolled nondeterminism: the same schedule has led to different runs"
	if f.text != "" {
		text += " (" + f.text + ")"
	}
	for i, l := range first {
		if i >= len(two.lines) || two.lines[i] != l {
			other := "the end"
			if i < len(two.lines) {
				other = fmt.Sprintf("%s: %s", shortName(&Task{ID: two.lines[i].task}), two.lines[i].text)
			}
			text += fmt.Sprintf("\n    at step %d, %s: %s, and the other time %s", l.step, shortName(&Task{ID: l.task}), l.text, other)
			break
		}
	}
	return text + "\n    The body depends on something that the schedule does not contain: the order of a map, time.Now, math/rand, addresses, " +
		"state that is left from the last schedule, or a goroutine of its own. Use T.Choose, T.Now and tasks.\n"
}

func indent(s, by string) string { return by + strings.ReplaceAll(s, "\n", "\n"+by) }
