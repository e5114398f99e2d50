// Package dropin is the proof that lockstep can take the place of goroutines in code that nobody
// rewrote for it. It holds no code of its own: see package rewrite, and the commands
// lockstep-rewrite and acceptance.
package dropin
