// Package lincheck checks histories of concurrent operations on what tasks wait on for linearizability, with the
// checker github.com/anishathalye/porcupine. It is a module of its own, so that the library does not depend on that one.
//
// A check is a sequential model, and a play in which some clients, half of them tasks and half of them goroutines, do things and record them. To add one
// for another type, add a file like chan_test.go. Comparisons with golang.org/x/sync live here for the same reason.
package lincheck
