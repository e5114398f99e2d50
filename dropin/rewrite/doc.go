// Package rewrite replaces the go statements of a package by calls of a pool, without
// changing what the package means.
//
// A go statement evaluates the function value and the arguments where it stands, in the
// order of the language, and calls later. A pool takes a func() and calls later, so whatever
// the statement evaluates has to be evaluated before the hand-over:
//
//	go f()                       lockstep.Go(f)
//	go x.M()                     lockstep.Go(x.M)
//	go func() { ... }()          lockstep.Go(func() { ... })
//	go f(1, "a")                 lockstep.Go(func() { f(1, "a") })
//	go f(x, g(), 1)              { x, n := x, g(); lockstep.Go(func() { f(x, n, 1) }) }
//	go s.handler(x)              { handler, x := s.handler, x; lockstep.Go(func() { handler(x) }) }
//	go f(g())                    { a, b := g(); lockstep.Go(func() { f(a, b) }) }
//	go func(i int) { ... }(i)    { i := i; lockstep.Go(func() { ... }) }
//
// One assignment takes all operands because the compiler does the same with a go
// statement. Constants, nil, and names of declared functions are the exception: they
// have no moment of evaluation, and only where they stand do untyped constants get the type
// of the parameter and generic functions their type arguments.
//
// A method value evaluates its receiver as the statement does, so a nil interface panics at the
// statement. A nil func ends the process in both forms: with arguments in the new task; without, the
// go statement is a fatal error of the runtime, and the pool panics in the caller, which
// a recover could catch.
//
// # What stays a go statement
//
// Leaving a statement alone is always correct, so whatever is not certain is left alone, and the result
// says why. Above all that is code which calls runtime.LockOSThread: a task that yields or ends
// with its thread locked kills the process. The calls are looked for in the function that the
// statement starts and in the functions of the same package that it calls. Further: files that
// are generated, packages that the pool itself imports, files that the build constraints
// exclude, and a statement marked with
//
//	//lockstep:keep the reason
//
// on its line or the line above.
//
// # Text
//
// Edits are as small as they can be, so comments and directives stay. With [Config.KeepLines]
// every line keeps its number, which is for an overlay: positions in panics, tests and debuggers
// are those of the file that the reader knows. Without, a file that was formatted stays
// formatted.
//
// The rewritten text needs no newer version of the language than the go statement did, and no
// version line is added to a file: it would change what the file's loops mean.
package rewrite
