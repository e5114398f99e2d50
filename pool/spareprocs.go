package pool

import (
	"os"
	"runtime"
	"sync"
)

// spare owns GOMAXPROCS for all pools of the process that asked for spare Ps.
//
// The number of Ps belongs to the program, and there is one of it, so there is one owner.
// While anybody holds a spare P, GOMAXPROCS is the program's own number plus the
// most that any holder asked for. Setting it stops the runtime from following the
// cgroup, so the owner looks itself, when a monitor asks. When the last holder lets go,
// the program's number comes back, or the runtime's own following if that was on.
var spare spareProcs

type spareProcs struct {
	mu      sync.Mutex
	holders map[int]int // how many asked for this many
	own     int         // the program's number
	follows bool        // the program left it to the runtime
	set     int         // what the owner set
}

// base returns the program's own number of Ps.
func (s *spareProcs) base() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.holders) == 0 || runtime.GOMAXPROCS(0) != s.set {
		return runtime.GOMAXPROCS(0)
	}
	return s.own
}

func (s *spareProcs) acquire(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.holders) == 0 {
		s.holders = map[int]int{}
		s.own = runtime.GOMAXPROCS(0)
		s.follows = s.followsDefault()
	} else if n := runtime.GOMAXPROCS(0); n != s.set {
		s.own, s.follows = n, false // the program has set it meanwhile: its word, and our spare ones on top
	}
	s.holders[n]++
	s.apply()
}

func (s *spareProcs) release(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holders[n]--; s.holders[n] == 0 {
		delete(s.holders, n)
	}
	if runtime.GOMAXPROCS(0) != s.set {
		return // somebody else has set it meanwhile; it is theirs
	}
	if len(s.holders) > 0 {
		s.apply()
		return
	}
	if s.follows {
		runtime.SetDefaultGOMAXPROCS()
	} else {
		runtime.GOMAXPROCS(s.own)
	}
}

// refresh follows the cgroup while the owner's setting keeps the runtime from it.
func (s *spareProcs) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.holders) == 0 || !s.follows || runtime.GOMAXPROCS(0) != s.set {
		return
	}
	runtime.SetDefaultGOMAXPROCS()
	s.own = runtime.GOMAXPROCS(0)
	s.apply()
}

// apply sets GOMAXPROCS to what is wanted now.
func (s *spareProcs) apply() {
	most := 0
	for n := range s.holders {
		most = max(most, n)
	}
	s.set = s.own + most
	if runtime.GOMAXPROCS(0) != s.set {
		runtime.GOMAXPROCS(s.set)
	}
}

// followsDefault reports whether the present number is the runtime's default, not one that
// the program or its environment set.
func (s *spareProcs) followsDefault() bool {
	if os.Getenv("GOMAXPROCS") != "" {
		return false
	}
	runtime.SetDefaultGOMAXPROCS()
	if runtime.GOMAXPROCS(0) == s.own {
		return true
	}
	runtime.GOMAXPROCS(s.own)
	return false
}
