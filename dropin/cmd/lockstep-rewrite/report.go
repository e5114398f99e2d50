package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockstep-go/lockstep/dropin/rewrite"
)

// report says what was done, file by file, and lists every statement that was left alone with
// the reason: those are the ones that a person has to look at.
func report(w io.Writer, r *rewrite.Result, o *options) {
	rewritten, left := r.Count()
	verb := "would be rewritten"
	if o.write || o.overlay != "" {
		verb = "rewritten"
	}
	dir := o.config.Dir
	for _, f := range r.Files {
		if f.Changed() {
			fmt.Fprintf(w, "%s: %s\n", relative(dir, f.Name), quantity(f.Rewritten(), "go statement"))
		}
	}
	fmt.Fprintf(w, "%s %s to call %s, %d left alone\n", quantity(rewritten, "go statement"), verb, o.config.Pool, left)
	for _, f := range r.Files {
		for _, s := range f.Sites {
			if s.Left == "" {
				continue
			}
			in := ""
			if s.In != "" {
				in = " in " + s.In
			}
			fmt.Fprintf(w, "%s:%d%s: left: %s\n", relative(dir, s.Pos.Filename), s.Pos.Line, in, s.Left)
		}
	}
	for _, pos := range r.Stale {
		fmt.Fprintf(w, "%s:%d: this //lockstep:keep has no go statement any more\n", relative(dir, pos.Filename), pos.Line)
	}
	if !o.write && !o.diff && o.overlay == "" && rewritten > 0 {
		fmt.Fprintln(w, "\nNothing was written. -diff shows the changes, -overlay tries them, -w makes them.")
	}
}

func quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// relative shortens a file's name for reading.
func relative(dir, name string) string {
	if wd, err := os.Getwd(); dir == "" && err == nil {
		dir = wd
	}
	rel, err := filepath.Rel(dir, name)
	if err != nil || strings.HasPrefix(rel, "..") {
		return name
	}
	return rel
}
