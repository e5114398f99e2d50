// Package target is what the acceptance job puts in the place of the go keyword. It imports
// nothing of lockstep, because lockstep imports some of the packages that are tried: errgroup,
// rewritten, could not import a pool that imports errgroup. The pool comes
// in from the other side, when the test binary imports package onpool.
package target

import (
	"os"
	"sync"
	"sync/atomic"
)

// CountEnv names the file that a process appends one byte to for every call of Go. Bytes
// survive a crash and add up over child processes, so the size of the file is the number of calls.
const CountEnv = "LOCKSTEP_DROPIN_COUNT"

var start atomic.Pointer[func(func())]

// Install makes pool run what Go is given from now on. Before, and that is in init functions only, Go is the
// go statement.
func Install(pool func(func())) { start.Store(&pool) }

// Go runs f on the pool, if one is installed. A nil f ends the process by the fatal error of
// a go statement.
func Go(f func()) {
	if count := counter(); count != nil {
		_, _ = count.Write([]byte{'.'})
	}
	pool := start.Load()
	if pool == nil || f == nil {
		go f()
		return
	}
	(*pool)(f)
}

var counter = sync.OnceValue(func() *os.File {
	name := os.Getenv(CountEnv)
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic("lockstep: dropin: " + err.Error())
	}
	return f
})
