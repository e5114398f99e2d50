// Package builtins has go statements that call builtin functions.
package builtins

import "time"

func until(f func() bool) bool {
	for range 10_000 {
		if f() {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// Run prints what the builtins did.
func Run(print func(...any)) {
	c := make(chan int)
	keep := c
	go close(c)
	c = nil
	_, ok := <-keep
	print("close", ok)
	c = make(chan int)
	go (close)(c)
	<-c

	m := map[string]int{"a": 1, "b": 2}
	key := "a"
	done := make(chan bool)
	go delete(m, key)
	key = "b"
	go func() { done <- true }()
	<-done
	print("delete", key)

	dst := make(chan []byte, 1)
	buf, src := make([]byte, 4), "text"
	go func() { dst <- buf }()
	b := <-dst
	go copy(b, src)
	go copy(b[:0], "constant")
	src = "none"
	print("copy", len(b), src)
	go clear(map[int]int{})
	go recover()
	go println()
	go print2("println", 1<<3, true)
	print(until(func() bool { return printed.Load() }))
}
