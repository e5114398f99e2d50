package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// stress is one round.
type stress struct {
	t    *testing.T
	p    *lockstep.Pool
	qs   []*lockstep.TaskQueue
	size atomic.Int64 // tasks that may still be made

	mu       sync.Mutex
	tasks    []*atomic.Int32 // how often each accepted task ran
	refused  []*atomic.Int32 // how often each that was refused ran
	handlers atomic.Int64
	panicked atomic.Int64
}

var errStress = errors.New("of the stress test")

// task makes a task that does random things; the caller reports whether it was accepted.
func (s *stress) task(depth int, seed uint64) (f func(), accepted func(bool)) {
	ran := atomic.NewInt32(0)
	f = func() {
		ran.Inc()
		s.work(rand.New(rand.NewPCG(seed, 1)), depth)
	}
	return f, func(ok bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if ok {
			s.tasks = append(s.tasks, ran)
		} else {
			s.refused = append(s.refused, ran)
		}
	}
}

// work is what a task does.
func (s *stress) work(r *rand.Rand, depth int) {
	ctx, cancel := context.WithCancelCause(s.qs[r.IntN(len(s.qs))].Context(bg))
	defer cancel(nil)
	if r.IntN(4) == 0 {
		defer lockstep.Yield()
	}
	for range r.IntN(6) {
		switch r.IntN(16) {
		case 0, 1:
			lockstep.Yield()
		case 2:
			for range r.IntN(50) {
				lockstep.YieldIfNeeded()
			}
		case 3:
			_ = lockstep.Sleep(ctx, time.Duration(r.IntN(100))*time.Microsecond)
		case 4:
			lockstep.BlockInPlace(runtime.Gosched, lockstep.WithBlockInPlace(r.IntN(2) == 0))
		case 5:
			if r.IntN(4) == 0 {
				go cancel(errStress)
			}
		case 6:
			if r.IntN(8) == 0 {
				s.panicked.Inc()
				panic(errStress)
			}
		case 7:
			if r.IntN(8) == 0 {
				exit()
			}
		case 8:
			if r.IntN(8) == 0 {
				s.panicked.Inc()
				lockstep.BlockInPlace(func() { panic(errStress) }, lockstep.WithBlockInPlace(r.IntN(2) == 0))
			}
		case 9:
			if r.IntN(8) == 0 {
				lockstep.BlockInPlace(exit, lockstep.WithBlockInPlace(r.IntN(2) == 0))
			}
		default:
			if depth > 0 {
				s.spawn(ctx, r, depth-1)
			}
		}
	}
}

// spawn starts tasks in a random way and, for most ways, waits for them.
func (s *stress) spawn(ctx context.Context, r *rand.Rand, depth int) {
	if s.size.Dec() < 0 {
		return
	}
	q := s.qs[r.IntN(len(s.qs))]
	f, accepted := s.task(depth, r.Uint64())
	switch r.IntN(6) {
	case 0:
		done := false
		defer func() { accepted(done) }() // Go panics when the pool is closed, and ends a task that is to end
		_ = panicOf(func() { q.Go(f); done = true })
	case 1:
		accepted(q.TryGo(f))
	case 2:
		done := false
		defer func() { accepted(done) }()
		done = q.Submit(ctx, f) == nil
	case 3:
		ran, seed := false, r.Uint64()
		task := lockstep.Spawn(ctx, func(context.Context) (int, error) {
			ran = true
			s.work(rand.New(rand.NewPCG(seed, 4)), depth)
			return 1, nil
		})
		if r.IntN(3) == 0 {
			task.Cancel(errStress)
		}
		v, err := task.Wait(ctx)
		if err == nil && (v != 1 || !ran) {
			s.t.Error("a result from nowhere")
		}
	case 4:
		g, _ := lockstep.NewGroup(ctx)
		if r.IntN(2) == 0 {
			g.SetLimit(1 + r.IntN(3))
		}
		var ran atomic.Int32
		n := int32(r.IntN(5))
		for range n {
			seed := r.Uint64()
			g.Go(func() error { ran.Inc(); s.work(rand.New(rand.NewPCG(seed, 2)), depth); return nil })
		}
		if err := g.Wait(); err == nil && ran.Load() != n {
			s.t.Error("a group has lost a task")
		}
	case 5: // Run is a call: the function may use what is the caller's
		_ = panicOf(func() {
			_ = q.Run(ctx, func(context.Context) error { s.work(r, depth); return nil })
		})
	}
}

func (s *stress) round(r *rand.Rand) {
	opts := []lockstep.Option{
		lockstep.WithWorkers([]int{1, 2, 4}[r.IntN(3)]), lockstep.WithOverflow(1 + r.IntN(3)),
		lockstep.WithTaskQueue("a", lockstep.WithShares(1+r.IntN(1000))), lockstep.WithTaskQueue("b", lockstep.WithLatency(50*time.Microsecond)),
		lockstep.WithPanicHandler(func(*lockstep.PanicError) { s.handlers.Inc() }), lockstep.WithLockOSThread(r.IntN(3) > 0),
		lockstep.WithQuantum(time.Duration(20+r.IntN(1000)) * time.Microsecond),
	}
	if r.IntN(3) == 0 {
		opts = append(opts, lockstep.WithCapacity(1+r.IntN(20)))
	}
	if r.IntN(2) == 0 {
		opts = append(opts, lockstep.WithStallThreshold(100*time.Microsecond))
	}
	p, err := lockstep.New(opts...)
	require.NoError(s.t, err)
	s.p, s.qs = p, []*lockstep.TaskQueue{p.TaskQueue("default"), p.TaskQueue("a"), p.TaskQueue("b")}
	s.size.Store(int64(r.IntN(3000)))
	lockstep.SetDefault(p)
	var wg sync.WaitGroup
	for range 1 + r.IntN(6) {
		seed := r.Uint64()
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for s.size.Load() > 0 {
				s.outside(r)
			}
		})
	}
	for range r.IntN(1000) {
		runtime.Gosched()
	}
	forced := r.IntN(3) == 0
	if forced {
		ctx, cancel := context.WithTimeout(bg, time.Duration(r.IntN(300))*time.Microsecond)
		_ = p.Shutdown(ctx)
		cancel()
	}
	require.NoError(s.t, p.Close())
	s.size.Store(0)
	wg.Wait()
	require.NoError(s.t, p.Close())
	s.check(forced)
}

// outside is a goroutine that is no task; what ends a task must not end it.
func (s *stress) outside(r *rand.Rand) {
	outside(func() {
		_ = panicOf(func() { s.spawn(bg, r, 4) })
	})
}

func (s *stress) check(forced bool) {
	for _, ran := range s.tasks {
		if n := ran.Load(); n != 1 && !(forced && n == 0) {
			require.Equal(s.t, int32(1), n, "an accepted task")
		}
	}
	for _, ran := range s.refused {
		require.Zero(s.t, ran.Load(), "a task that was not accepted")
	}
	for _, q := range s.p.Stats().Queues {
		require.Equal(s.t, q.Started, q.Finished)
		require.Zero(s.t, q.Queued)
		require.True(s.t, forced || q.Cancelled == 0)
	}
	o := s.p.Stats().Overflow
	require.Zero(s.t, o.Running+o.Queued)
	require.LessOrEqual(s.t, s.handlers.Load(), s.panicked.Load())
}

func TestStressRandomWork(t *testing.T) {
	long := time.Second
	if d, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS")); err == nil {
		long = d
	}
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	before := runtime.NumGoroutine()
	for round, from := 0, time.Now(); round < 3 || time.Since(from) < long; round++ {
		seed := rand.Uint64()
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			if round%8 == 0 {
				runtime.GOMAXPROCS([]int{1, 2, 4}[r.IntN(3)])
			}
			s := &stress{t: t}
			s.round(r)
		})
		if t.Failed() {
			return
		}
	}
	settled(before)
}
