package lockstep_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-go/lockstep"
)

// Eight tasks wait for a ninth, on a pool of two workers or one.
func TestD02AllPlacesTakenByTasksThatWaitForALaterOne(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, locked := range []bool{true, false} {
			p := newPool(t, lockstep.WithWorkers(workers), lockstep.WithLockOSThread(locked))
			done := make(chan struct{})
			var wg sync.WaitGroup
			for range 8 {
				wg.Add(1)
				p.Go(func() { defer wg.Done(); <-done })
			}
			p.Go(func() { close(done) })
			wg.Wait()
			t.Logf("%+v", p.Stats().Rescue)
		}
	}
}

// D03: a lock held across a yield. On a locked thread the holder cannot go on while the thread blocks on
// the lock; floating workers resolve it by themselves.
func TestD03LockHeldOverAYieldResolvesOnFloatingWorkers(t *testing.T) {
	for _, workers := range []int{1, 2} {
		p := newPool(t, lockstep.WithWorkers(workers), lockstep.WithLockOSThread(false))
		for range 5 {
			var mu sync.Mutex
			var wg sync.WaitGroup
			wg.Add(2)
			p.Go(func() {
				defer wg.Done()
				mu.Lock()
				p.Go(func() {
					defer wg.Done()
					mu.Lock()
					defer mu.Unlock()
				})
				lockstep.Yield()
				mu.Unlock()
			})
			wg.Wait()
		}
		t.Logf("%+v", p.Stats().Rescue)
	}
}

// A task that sleeps is needed by one that blocks its thread natively.
func TestParkedTaskNeededByABlockedOneOnFloatingWorkers(t *testing.T) {
	p := newPool(t, lockstep.WithWorkers(1), lockstep.WithLockOSThread(false))
	for range 5 {
		ch, done := make(chan struct{}), make(chan struct{})
		p.Go(func() {
			_ = lockstep.Sleep(context.Background(), time.Millisecond)
			close(ch)
		})
		p.Go(func() { <-ch; close(done) })
		<-done
	}
}
