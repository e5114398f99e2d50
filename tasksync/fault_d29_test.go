package tasksync_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/tasksync"
)

// D29: who waits for a lock of this package counts as blocked in a bubble of synctest, which a wait for a sync.Mutex
// does not, so the time of the bubble goes on, and contexts with deadlines end.
func TestD29WaitsLetTheTimeOfABubblePass(t *testing.T) {
	waits := map[string]func() func(ctx context.Context) error{
		"Mutex":   func() func(ctx context.Context) error { m := new(tasksync.Mutex); m.Lock(); return m.LockContext },
		"RWMutex": func() func(ctx context.Context) error { rw := new(tasksync.RWMutex); rw.RLock(); return rw.LockContext },
		"RWMutex/read": func() func(ctx context.Context) error {
			rw := new(tasksync.RWMutex)
			rw.Lock()
			return rw.RLockContext
		},
		"Semaphore": func() func(ctx context.Context) error {
			s := tasksync.NewSemaphore(1)
			s.TryAcquire(1)
			return func(ctx context.Context) error { return s.Acquire(ctx, 1) }
		},
		"Cond": func() func(ctx context.Context) error {
			c := tasksync.NewCond(new(tasksync.Mutex))
			return func(ctx context.Context) error { c.L.Lock(); defer c.L.Unlock(); return c.WaitContext(ctx) }
		},
		"WaitGroup": func() func(ctx context.Context) error { g := new(tasksync.WaitGroup); g.Add(1); return g.WaitContext },
	}
	for name, begin := range waits {
		for _, task := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					began := time.Now()
					ctx, cancel := context.WithTimeout(bg, time.Hour)
					defer cancel()
					wait := begin()
					var err error
					if task {
						inTask(mixed(t, 2, true), func() { err = wait(ctx) })
					} else {
						err = wait(ctx)
					}
					require.ErrorIs(t, err, context.DeadlineExceeded)
					require.Equal(t, time.Hour, time.Since(began))
				})
			})
		}
	}
}
