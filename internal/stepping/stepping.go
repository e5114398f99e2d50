// Package stepping says whether any pool of the process is stepped, as in a test by package steptest.
//
// What synchronises tasks asks that before each operation. It is a word that is read and hardly ever written.
package stepping

import (
	"sync"

	"github.com/lockstep-go/lockstep/internal/relaxed"
)

// Bar is 0, or, while there are steppers, a value that the state of no lock has. A lock's fast path compares its state with the
// one that it expects, and Bar added: so it goes the slow way, which looks for a stepper, without a branch of its own. A branch would
// take the fast paths over the budget of the compiler's inlining, and that is 2 of their 7 ns.
var Bar relaxed.Uint64

// bar is out of reach as the state of a lock in 32 bits, and in 64.
const bar = 1<<62 | 1<<30

var (
	mu    sync.Mutex
	count int
)

// Add adds n, 1 or -1, to the number of steppers.
func Add(n int) {
	mu.Lock()
	defer mu.Unlock()
	if count += n; count > 0 {
		Bar.Store(bar)
	} else {
		Bar.Store(0)
	}
}
