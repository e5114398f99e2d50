package stepping

import "github.com/lockstep-go/lockstep/internal/relaxed"

// fine counts the steppers that want points inside of what synchronises tasks.
var fine relaxed.Uint64

// Fine reports whether there are any.
func Fine() bool { return fine.Load() != 0 }

// AddFine adds n, 1 or -1, to their number.
func AddFine(n int) {
	mu.Lock()
	defer mu.Unlock()
	fine.Store(fine.Load() + uint64(n))
}

// Until is set, once, by package pool, which is above those that need it. In a stepped task whose stepper is a fine one it is a point before an update of obj,
// at which the task stays until the gate, if not nil, is free; then it returns true. Elsewhere it returns false, at once. It is to be called only if
// there is a fine stepper.
var Until func(obj any, g Gate) bool

// Gate is what a task may have to wait for at such a point.
type Gate interface{ Free() bool }
