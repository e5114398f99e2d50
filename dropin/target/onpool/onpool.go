// Package onpool makes package target run on a lockstep pool. It is imported for that effect by a
// test file that the acceptance job adds to every package it tries.
package onpool

import (
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/dropin/target"
)

// These variables of the environment configure the pool.
const (
	// ModeEnv is "pool", or "control" for plain go statements, which is also the default.
	ModeEnv = "LOCKSTEP_DROPIN"
	// WorkersEnv is a number of workers; the pool's own default if it is empty.
	WorkersEnv = "LOCKSTEP_WORKERS"
	// FloatingEnv is "1" for workers without threads of their own.
	FloatingEnv = "LOCKSTEP_FLOATING"
)

func init() {
	switch mode := os.Getenv(ModeEnv); mode {
	case "pool":
		target.Install(run)
	case "", "control":
	default:
		panic("lockstep: " + ModeEnv + "=" + mode + " is neither pool nor control")
	}
}

// run is lockstep.Go on a pool that the first call makes.
func run(f func()) {
	if inBubble() {
		go f()
		return
	}
	setup()
	lockstep.Go(f)
}

// inBubble guesses whether the caller runs inside a bubble of testing/synctest. What is made in a bubble must
// not be touched from outside, where the pool's threads are, and a pool inside would have to be
// closed before the bubble ends. A bubble's clock begins in the year 2000.
func inBubble() bool { return time.Now().Year() < 2020 }

// setup is not part of init so that a program which is only asked for its flags, or a child process
// that starts nothing, has no threads to show for it.
var setup = sync.OnceFunc(func() {
	var opts []lockstep.Option
	if text := os.Getenv(WorkersEnv); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			panic("lockstep: " + WorkersEnv + ": " + err.Error())
		}
		opts = append(opts, lockstep.WithWorkers(n))
	}
	if os.Getenv(FloatingEnv) == "1" {
		opts = append(opts, lockstep.WithLockOSThread(false))
	}
	p, err := lockstep.New(opts...)
	if err != nil {
		panic(err.Error())
	}
	lockstep.SetDefault(p)
})
