// Package locks has functions that lock their thread, whose go statements have to stay.
package locks

import (
	"runtime"
	. "runtime"
)

var out = make(chan string)

func locked() {
	runtime.LockOSThread()
	out <- "locked"
}

func indirect(n int) {
	if n > 0 {
		indirect(n - 1)
		return
	}
	locked()
}

type window struct{ title string }

func (w *window) loop() {
	LockOSThread()
	defer UnlockOSThread()
	out <- w.title
}

func starts() {
	go locked() // another goroutine locks its thread, not this one
	out <- "started"
}

func with(f func()) { f() }

func each[T any](x T) { runtime.LockOSThread(); out <- "generic" }

// Run starts everything once.
func Run(print func(...any)) {
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		out <- "literal"
	}()
	print(<-out)
	go locked()
	print(<-out)
	go indirect(2)
	print(<-out)
	w := &window{"window"}
	go w.loop()
	print(<-out)
	f := func() { locked() }
	go f()
	print(<-out)
	go with(func() { defer func() { locked() }() })
	print(<-out)
	go each(1)
	print(<-out)

	go starts()
	a, b := <-out, <-out
	print(len(a) + len(b))
	go func() { out <- "not locked" }()
	print(<-out)
}
