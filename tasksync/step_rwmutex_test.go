package tasksync_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// traffic is who is in an RWMutex.
type traffic struct{ readers, writers, passed int }

func (x *traffic) read(t *steptest.T) {
	x.readers++
	require.Zero(t, x.writers)
	t.Point("reading")
	require.Zero(t, x.writers)
	x.readers--
	x.passed++
}

func (x *traffic) write(t *steptest.T) {
	x.writers++
	require.Equal(t, 1, x.writers)
	require.Zero(t, x.readers)
	t.Point("writing")
	require.Zero(t, x.readers)
	x.writers--
	x.passed++
}

// A writer is alone, readers are without writers, and everybody gets in.
func TestStepRWMutexExcludes(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		var x traffic
		read := func() { rw.RLock(); x.read(t); rw.RUnlock() }
		write := func() { rw.Lock(); x.write(t); rw.Unlock() }
		last := []func(){
			write,
			func() { require.NoError(t, rw.RLockContext(bg)); x.read(t); rw.RUnlock() },
			func() { require.NoError(t, rw.LockContext(bg)); x.write(t); rw.Unlock() },
			func() { tasksync.LockAlways(&rw); x.write(t); rw.Unlock() },
			func() { l := rw.RLocker(); tasksync.LockAlways(l); x.read(t); l.Unlock() },
			func() {
				for !rw.TryRLock() {
					lockstep.Yield()
				}
				x.read(t)
				rw.RUnlock()
			},
			func() {
				for !rw.TryLock() {
					lockstep.Yield()
				}
				x.write(t)
				rw.Unlock()
			},
		}[t.Choose(7)]
		all(read, times(2, read), write, last)
		require.Equal(t, 5, x.passed)
		require.True(t, rw.TryLock())
	})
}

// A wait that ends with its context leaves nothing behind, and readers do not wait for a writer who has given up.
func TestStepRWMutexContextMeetsUnlock(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		var x traffic
		ctx, cancel := context.WithCancel(bg)
		read := func() { rw.RLock(); x.read(t); rw.RUnlock() }
		impatient := func() {
			if rw.LockContext(ctx) == nil {
				x.write(t)
				rw.Unlock()
			}
		}
		impatientReader := func() {
			if rw.RLockContext(ctx) == nil {
				x.read(t)
				rw.RUnlock()
			}
		}
		last := []func(){impatientReader, func() { rw.Lock(); x.write(t); rw.Unlock() }, read}[t.Choose(3)]
		all(read, impatient, cancel, read, last)
		require.Zero(t, tasksync.Listed(&rw))
		require.True(t, rw.TryLock())
	})
}

// Readers wait only for writers, so one that has given up is none, while others read on.
func TestStepRWMutexGivenUpWriterHoldsNobodyUp(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		ctx, cancel := context.WithCancel(bg)
		rw.RLock()
		all(
			func() { require.Error(t, rw.LockContext(ctx)) },
			cancel,
			func() { rw.RLock(); t.Point("reading"); rw.RUnlock() },
			func() { rw.RLock(); t.Point("reading"); rw.RUnlock() },
		)
		rw.RUnlock()
		require.True(t, rw.TryLock())
	})
}

// A reader waits for one writer at most, beside those who read when it comes.
func TestStepRWMutexReaderIsNotStarved(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		waited := 0 // writers that have seen the reader wait
		write := times(2, func() {
			rw.Lock()
			waited += tasksync.ListedFor(&rw, false)
			require.LessOrEqual(t, waited, 1)
			t.Point("writing")
			rw.Unlock()
		})
		all(write, write, func() { rw.RLock(); waited = 0; t.Point("reading"); rw.RUnlock() })
	})
}

// While a writer waits no reader gets in twice.
func TestStepRWMutexWriterIsNotStarved(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		read := func() {
			entered := 0 // since the writer waits
			for range 3 {
				rw.RLock()
				if tasksync.ListedFor(&rw, true) == 0 {
					entered = 0
				} else if entered++; entered > 1 {
					require.LessOrEqual(t, entered, 1)
				}
				t.Point("reading")
				rw.RUnlock()
			}
		}
		all(read, read, func() { rw.Lock(); t.Point("writing"); rw.Unlock() })
	})
}

// A forced shutdown ends those who wait, and the others go on.
func TestStepRWMutexAfterForcedShutdown(t *testing.T) {
	steps(t, func(t *steptest.T) {
		p := t.Pool()
		var rw tasksync.RWMutex
		var x traffic
		rw.RLock()
		p.Go(func() { rw.Lock(); x.write(t); rw.Unlock() })
		p.Go(func() { rw.RLock(); x.read(t); rw.RUnlock() })
		lockstep.Yield()
		ctx, cancel := context.WithCancel(bg)
		cancel()
		read := func() { rw.RLock(); x.read(t); rw.RUnlock() }
		shutdown := func() { require.NoError(t, p.Shutdown(ctx)) }
		if t.Choose(2) == 0 {
			all(read, shutdown, rw.RUnlock)
		} else {
			all(read, shutdown)
			rw.RUnlock()
		}
		require.Zero(t, tasksync.Listed(&rw))
		require.True(t, rw.TryLock())
	}, steptest.EarlyTimers(false))
}

// One unlock too many is a panic, of one of those who unlock, and the lock goes on.
func TestStepRWMutexUnlockedTwice(t *testing.T) {
	steps(t, func(t *steptest.T) {
		var rw tasksync.RWMutex
		panics := 0
		guarded := func(unlock func()) func() {
			return func() {
				defer func() {
					if recover() != nil {
						panics++
					}
				}()
				unlock()
			}
		}
		write := func() { rw.Lock(); guarded(rw.Unlock)() }
		read := func() { rw.RLock(); guarded(rw.RUnlock)() }
		if t.Choose(2) == 0 {
			rw.Lock()
			all(guarded(rw.Unlock), guarded(rw.Unlock), write, write)
		} else {
			rw.RLock()
			all(guarded(rw.RUnlock), guarded(rw.RUnlock), write, read)
		}
		require.Equal(t, 1, panics)
		require.Zero(t, tasksync.Listed(&rw))
		require.True(t, rw.TryLock())
	})
}
