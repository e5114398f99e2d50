// Package crash has go statements that end the process. Each is run in a process of its own.
package crash

import "time"

type closer interface{ close(int) }

// Crash runs one of them.
func Crash(what string) {
	switch what {
	case "panic":
		go panic("crash: " + what)
	case "panic constant":
		go panic("crash: panic constant")
	case "literal":
		go func() { panic("crash: literal") }()
	case "nil func":
		var f func()
		go f()
	case "nil func with an argument":
		var f func(string)
		go f(what)
	case "nil method":
		var c closer
		go c.close(1)
	case "recover":
		defer recover()
		go func(what string) { panic("crash: " + what) }(what)
	}
	time.Sleep(10 * time.Second)
}
