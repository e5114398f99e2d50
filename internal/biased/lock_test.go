package biased_test

import (
	"runtime"
	"sync"
	"testing"

	"go.uber.org/atomic"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/internal/biased"
)

// The owner and three foreigners count in the same plain variables. A lost
// update means that two were inside at once.
func TestExclusion(t *testing.T) {
	const rounds = 2_000_000
	var l biased.Lock
	l.Init()
	var a, b, owner, foreign int // a and b are guarded by l and always equal
	var stop atomic.Bool
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 3 {
		wg.Go(func() {
			mine := 0
			for !stop.Load() {
				if l.TryLock() {
					if a != b {
						t.Errorf("torn: %d, %d", a, b)
					}
					a++
					b++
					mine++
					l.Unlock()
				}
				runtime.Gosched()
			}
			mu.Lock()
			foreign += mine
			mu.Unlock()
		})
	}
	for range rounds {
		l.Enter()
		if a != b {
			t.Fatalf("torn: %d, %d", a, b)
		}
		a++
		b++
		owner++
		l.Exit()
	}
	stop.Store(true)
	wg.Wait()
	require.Equal(t, owner+foreign, a)
	require.Equal(t, a, b)
	t.Logf("owner %d, foreigners %d", owner, foreign)
}

func TestTryLockGivesUp(t *testing.T) {
	var l biased.Lock
	l.Init()
	l.Enter()
	require.False(t, l.TryLock())
	l.Exit()
	require.True(t, l.TryLock())
	require.False(t, l.TryLock())
	l.Unlock()
	l.Enter()
	l.Exit()
}

func BenchmarkEnterExit(b *testing.B) {
	var l biased.Lock
	l.Init()
	for b.Loop() {
		l.Enter()
		l.Exit()
	}
}

func BenchmarkForeign(b *testing.B) {
	var l biased.Lock
	l.Init()
	for b.Loop() {
		l.Lock()
		//lint:ignore SA2001 the lock itself is measured
		l.Unlock()
	}
}
