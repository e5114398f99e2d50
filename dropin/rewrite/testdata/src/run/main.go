// Run runs the packages beside it, by name or all, and prints what they print.
package main

import (
	"fmt"
	"os"
	"slices"

	_ "github.com/lockstep-go/lockstep/dropin/target/onpool"

	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/args"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/builtins"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/crash"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/direct"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/excluded"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/generics"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/imports"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/lines"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/literals"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/locks"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/loops"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/marks"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/messy"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/places"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/shadow"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/tests"
	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/untyped"
)

type run func(print func(...any))

var all = map[string]run{
	"args": args.Run, "builtins": builtins.Run, "direct": direct.Run, "excluded": excluded.Run,
	"generics": generics.Run, "imports": imports.Run, "lines": lines.Run, "literals": literals.Run,
	"locks": locks.Run, "loops": loops.Run, "marks": marks.Run, "messy": messy.Run, "places": places.Run,
	"shadow": shadow.Run, "tests": tests.Run, "untyped": untyped.Run,
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "crash" {
		crash.Crash(os.Args[2])
		return
	}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		all[name](func(args ...any) { fmt.Println(append([]any{name + ":"}, args...)...) })
	}
}
