package main

import (
	"fmt"
	"io"
	"os"
)

// progress writes what is going on: on a terminal one line that is written over, elsewhere only the line that
// closes a mode, so that a log stays readable.
type progress struct {
	out io.Writer
	tty bool
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out}
	if f, ok := out.(*os.File); ok {
		st, err := f.Stat()
		p.tty = err == nil && st.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	return p
}

// overwrite is what an ANSI terminal needs to write a line over: carriage return, erase to the end of the line.
const overwrite = "\r\x1b[K"

// liveWidth keeps a live line from wrapping, since a wrapped line cannot be written over.
const liveWidth = 78

func (p *progress) live(format string, args ...any) {
	if !p.tty {
		return
	}
	line := []rune(fmt.Sprintf(format, args...))
	fmt.Fprint(p.out, overwrite, string(line[:min(len(line), liveWidth)]))
}

// done removes the live line.
func (p *progress) done() {
	if p.tty {
		fmt.Fprint(p.out, overwrite)
	}
}

// phaseLine is the line of one mode.
type phaseLine struct {
	p    *progress
	head string
}

func (p *progress) phase(name string, number, of int) *phaseLine {
	l := &phaseLine{p, fmt.Sprintf("%-8s%-13s ", fmt.Sprintf("[%d/%d]", number, of), name)}
	l.live("starting")
	return l
}

func (l *phaseLine) live(format string, args ...any) {
	l.p.live(l.head+format, args...)
}

// final replaces the live line for good.
func (l *phaseLine) final(format string, args ...any) {
	l.p.done()
	fmt.Fprintf(l.p.out, l.head+format+"\n", args...)
}
