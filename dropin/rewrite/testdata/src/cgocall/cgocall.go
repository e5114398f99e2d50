// Package cgocall starts functions of C.
package cgocall

/*
#include <stdint.h>
#define LIMIT 7
static uintptr_t last;
static void set(int x) { __atomic_store_n(&last, (uintptr_t)x, __ATOMIC_SEQ_CST); }
static int get(void) { return (int)__atomic_load_n(&last, __ATOMIC_SEQ_CST); }
static void reset(void) { __atomic_store_n(&last, 0, __ATOMIC_SEQ_CST); }
*/
import "C"

import (
	"fmt"
	"runtime"
)

func until(n int) int {
	for int(C.get()) != n {
		runtime.Gosched()
	}
	return n
}

func show(x any, to chan<- string) { to <- fmt.Sprint(x) }

// Run prints what C was told.
func Run(print func(...any)) {
	go C.set(5)
	print(until(5))
	go C.reset()
	print(until(0))
	n := 6
	go C.set(C.int(n))
	n = 0
	print(until(6))
	out := make(chan string)
	go func(n C.int) { C.set(n); out <- "literal" }(C.int(9))
	print(<-out, until(9))
	go show(C.LIMIT, out)
	print(<-out)
	go show(n, out)
	print(<-out)
}
