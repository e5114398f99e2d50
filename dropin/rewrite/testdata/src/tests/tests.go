// Package tests has tests inside and outside of the package.
package tests

var out = make(chan int, 1)

// Start starts.
func Start(n int) { go send(n) }

func send(n int) { out <- n }

// Run prints what was sent.
func Run(print func(...any)) { Start(1); print(<-out) }
