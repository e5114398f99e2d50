// Package shadow has names that the new text could collide with.
package shadow

import (
	"fmt"
	. "strings"
)

var out = make(chan string)

func fn(f func(string), arg ...string) { f(Join(arg, " ")) }

func lockstep(s string) { out <- "lockstep " + s }

func serve(handler func(string), fmt string, serve string) { handler(fmt + serve) }

func send(s string) { out <- s }

func names(arg string, arg2 int, fn func(int) string) { out <- fmt.Sprint(arg, fn(arg2)) }

type list struct{ fn func(string, string) }

func (l list) Range(a, b string) { l.fn(a, b) }
func (l list) URL(a string)      { l.fn(a, a) }

// Run prints what the right names mean.
func Run(print func(...any)) {
	go lockstep("is a function here")
	print(<-out)
	go lockstep(ToUpper("dot import"))
	print(<-out)
	go serve(send, ToUpper("shadowing "), Repeat("parameters", 1))
	print(<-out)
	{
		fmt, serve := serve, "serve"
		go fmt(send, serve, serve)
		print(<-out)
	}
	f := func(s string) { out <- s }
	go fn(f, ToLower("A"), ToLower("B"))
	print(<-out)
	go names(ToLower("ARG"), len(ToLower("ARG")), func(n int) string { return Repeat("x", n) })
	print(<-out)
	pool := map[string]string{"target": "target"}
	target := pool["target"]
	go send(target)
	print(<-out)
	l := list{fn: func(a, b string) { out <- a + b }}
	go l.Range(target, target)
	print(<-out)
	go l.URL(target)
	print(<-out)
	go func(target, pool string) { out <- target + pool }(Repeat("t", 2), target)
	print(<-out)
	nil := Repeat("n", 1)
	go send(nil)
	print(<-out)
	go func(true bool) { out <- fmt.Sprint(true) }(1 == 2)
	print(<-out)
}
