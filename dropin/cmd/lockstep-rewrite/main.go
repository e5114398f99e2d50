// Lockstep-rewrite replaces the go statements of packages by calls of a pool, with
// exactly the meaning of the go statement: function value and arguments are evaluated where the
// statement stands.
//
// Usage:
//
//	lockstep-rewrite [-diff | -w | -overlay dir] [-pool expr] [-test] [-generated] [-tags list] packages...
//
// Without -diff, -w or -overlay it only reports what it would do. With -overlay the files stay
// as they are, and go test -overlay=dir/overlay.json tries the packages on the pool.
//
// The pool is a function of a func(): an import path with a name in that package, such as
// example.com/app/work.Requests.Go, or an expression that means something where the statements
// stand, such as s.pool.Go. The default is github.com/lockstep-go/lockstep.Go.
//
// What is left alone is listed with the reason. Above all that is code which locks its
// thread, since a task that yields or ends with the lock held kills the process, and
// statements marked with //lockstep:keep and a reason. Exit status is 1 if the packages
// do not build, before or after, and nothing is written then.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lockstep-go/lockstep/dropin/rewrite"
)

func main() {
	os.Exit(run(os.Args[1:], "", os.Stdout, os.Stderr))
}

// options are what the command line says.
type options struct {
	diff, write bool
	overlay     string
	config      rewrite.Config
	patterns    []string
}

func run(args []string, dir string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "lockstep-rewrite:", err)
		return 2
	}
	o.config.Dir = dir
	if err := o.do(stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "lockstep-rewrite:", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("lockstep-rewrite", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: lockstep-rewrite [-diff | -w | -overlay dir] [-pool expr] [-test] [-generated] [-tags list] packages...")
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.diff, "diff", false, "print the changes as a unified diff")
	flags.BoolVar(&o.write, "w", false, "write the changes to the files")
	flags.StringVar(&o.overlay, "overlay", "", "write the changed files to this `folder`, with an overlay.json for go test -overlay")
	pool := flags.String("pool", rewrite.DefaultPool.String(), "the function that starts a func(): `expr`, or import path.expr")
	flags.BoolVar(&o.config.Tests, "test", false, "include test files")
	flags.BoolVar(&o.config.Generated, "generated", false, "include generated files")
	tags := flags.String("tags", "", "comma-separated `list` of build tags")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, errors.New("see lockstep-rewrite -help")
	}
	modes := 0
	for _, set := range []bool{o.diff, o.write, o.overlay != ""} {
		if set {
			modes++
		}
	}
	if modes > 1 {
		return nil, errors.New("-diff, -w and -overlay exclude each other")
	}
	o.patterns = flags.Args()
	if len(o.patterns) == 0 {
		return nil, errors.New("no packages are named; ./... means all below the current folder")
	}
	if *tags != "" {
		o.config.Tags = strings.Split(*tags, ",")
	}
	o.config.KeepLines = o.overlay != ""
	var err error
	o.config.Pool, err = rewrite.ParsePool(*pool)
	return o, err
}

// do rewrites in memory, checks the result, and only then lets anybody see it.
func (o *options) do(stdout, stderr io.Writer) error {
	r, err := rewrite.Packages(o.config, o.patterns...)
	if err != nil {
		return err
	}
	if err := rewrite.Verify(o.config, r); err != nil {
		return err
	}
	summary := stdout
	switch {
	case o.diff:
		summary = stderr // so that the diff can be piped into patch
		for _, f := range r.Files {
			if f.Changed() {
				name := relative(o.config.Dir, f.Name)
				fmt.Fprint(stdout, unified(name, string(f.Before), string(f.After)))
			}
		}
	case o.write:
		for _, f := range r.Files {
			if f.Changed() {
				if err := write(f); err != nil {
					return err
				}
			}
		}
	case o.overlay != "":
		name, err := r.WriteOverlay(o.overlay, nil)
		if err != nil {
			return err
		}
		defer fmt.Fprintf(summary, "\nTry it: go test -overlay=%s %s\n", name, strings.Join(o.patterns, " "))
	}
	report(summary, r, o)
	return nil
}

// write keeps the file's permissions.
func write(f *rewrite.File) error {
	info, err := os.Stat(f.Name)
	if err != nil {
		return err
	}
	return os.WriteFile(f.Name, f.After, info.Mode().Perm())
}
