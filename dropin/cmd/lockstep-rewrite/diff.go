package main

import (
	"fmt"
	"slices"
	"strings"
)

// context is how many unchanged lines a hunk shows around its changes, as diff -u does.
const context = 3

// op is one line of an edit script: kept, deleted or inserted.
type op struct {
	kind byte // ' ', '-' or '+'
	line string
}

// unified returns the changes from before to after in the form of diff -u, which patch and git
// apply read.
func unified(name, before, after string) string {
	script := compare(lines(before), lines(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", slashed(name), slashed(name))
	oldLine, newLine := 1, 1
	for i := 0; i < len(script); {
		if script[i].kind == ' ' {
			i++
			oldLine++
			newLine++
			continue
		}
		start := max(0, i-context)
		end, quiet := i, 0 // quiet counts unchanged lines since the last change
		for end < len(script) && quiet <= 2*context {
			quiet++
			if script[end].kind != ' ' {
				quiet = 0
			}
			end++
		}
		end -= max(0, quiet-context)
		hunk := script[start:end]
		dels, ins := count(hunk, '-'), count(hunk, '+')
		oldLine, newLine = oldLine-(i-start), newLine-(i-start)
		oldLen, newLen := len(hunk)-ins, len(hunk)-dels
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", at(oldLine, oldLen), oldLen, at(newLine, newLen), newLen)
		for _, o := range hunk {
			b.WriteByte(o.kind)
			b.WriteString(o.line)
			if !strings.HasSuffix(o.line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine, newLine = oldLine+oldLen, newLine+newLen
		i = end
	}
	return b.String()
}

// at is the number of a hunk's first line; an empty one stands behind the line before.
func at(line, length int) int {
	if length == 0 {
		return line - 1
	}
	return line
}

func slashed(name string) string { return strings.ReplaceAll(name, "\\", "/") }

func count(script []op, kind byte) int {
	n := 0
	for _, o := range script {
		if o.kind == kind {
			n++
		}
	}
	return n
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// compare finds a shortest edit script by Myers's greedy algorithm: how far each diagonal gets
// with one more edit. The memory is quadratic in the number of edits, of which there are few here.
func compare(a, b []string) []op {
	offset := len(a) + len(b) + 1
	v := make([]int, 2*offset+1) // by diagonal
	var trace [][]int            // v as it was before each round
	for d := 0; ; d++ {
		trace = append(trace, slices.Clone(v[offset-d-1:offset+d+2]))
		for k := -d; k <= d; k += 2 {
			x := v[offset+k-1] + 1
			if inserts(k, d, v[offset+k-1], v[offset+k+1]) {
				x = v[offset+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[offset+k] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(a, b, trace)
			}
		}
	}
}

// inserts reports whether the diagonal k is reached from the one above, by an inserted line.
func inserts(k, d, below, above int) bool { return k == -d || k != d && below < above }

func backtrack(a, b []string, trace [][]int) []op {
	var script []op
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		at := func(k int) int { return trace[d][k+d+1] }
		k := x - y
		from := k - 1
		if inserts(k, d, at(k-1), at(k+1)) {
			from = k + 1
		}
		px, py := at(from), at(from)-from
		for x > px && y > py && x > 0 {
			x, y = x-1, y-1
			script = append(script, op{' ', a[x]})
		}
		switch {
		case d == 0:
		case x == px:
			y--
			script = append(script, op{'+', b[y]})
		default:
			x--
			script = append(script, op{'-', a[x]})
		}
	}
	slices.Reverse(script)
	return script
}
