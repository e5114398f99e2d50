// Package lockstep is a worker pool that replaces goroutine-per-task.
//
// TO BE WRITTEN
package lockstep
