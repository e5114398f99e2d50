//go:build !unix

package usage

// Own returns what this process has taken. ok is false where the system does not tell.
func Own() (p Process, ok bool) { return Process{}, false }
