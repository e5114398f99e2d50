// Package lines shows that every line keeps its number.
package lines

import (
	"fmt"
	"runtime"
)

var out = make(chan int)

func here(more ...any) {
	_, _, line, _ := runtime.Caller(1)
	out <- line + len(more)*0
}

// Run prints the lines that tasks know themselves by.
func Run(print func(...any)) {
	go func() { here() }()
	print(<-out)
	x := 1
	go func(
		x int,
		f func(...any),
	) {
		here(x)
	}(
		x, // first
		func(...any) {
			fmt.Println()
		},
	)
	print(<-out)
	go func(x any, s string) {
		here(x)
		here(s)
	}(fmt.Sprint(
		x,
	), "a"+
		"b")
	print(<-out, <-out)
	_, _, line, _ := runtime.Caller(0)
	print(line)
//line elsewhere.go:100
	go func(n int) { here(n) }(x + 1)
	print(<-out)
	_, file, line, _ := runtime.Caller(0)
	print(len(file) > 0, line)
}
