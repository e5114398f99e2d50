package lockstep_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// blocking is one round of tasks that block natively, compute, give way and spawn at random, on a pool that has to rescue
// its workers all the time.
//
// A task waits natively only for a task that is spawned directly before that, or for a goroutine. On locked workers this is what keeps
// tasks from waiting in a circle, and with it the proof that rescue is enough: call X a task that blocks its thread T, and D a
// descendant that it waits for. If D cannot go on, it is parked on a thread T' that another task X' blocks. D
// parked before X' began, so X spawned its child before X' spawned its own. Along a circle
// each would have spawned before itself.
//
// Moved sections wait for goroutines only: their places are few.
type blocking struct {
	t      *testing.T
	p      *lockstep.Pool
	qs     []*lockstep.TaskQueue
	locked bool
	opener chan func()
	mu     sync.Mutex // also what tasks hold natively, for a moment
	gates  []*gate
	open   bool // all gates are, because tasks that open them may have been dropped
	tasks  []*blockingTask
	size   atomic.Int64 // tasks that may still be made
	live   atomic.Int64
}

// blockingTask is what is known of a task.
type blockingTask struct {
	began    atomic.Int32
	accepted bool
}

// try spawns a task of random steps, unless there are enough or the pool refuses it. after is called when the task has made
// them, whatever happened, or when there is no task.
func (s *blocking) try(q *lockstep.TaskQueue, seed uint64, after func()) bool {
	if s.size.Dec() <= 0 {
		after()
		return false
	}
	x := new(blockingTask)
	ok := q.TryGo(func() {
		x.began.Inc()
		s.live.Inc()
		defer s.live.Dec()
		defer after()
		s.work(rand.New(rand.NewPCG(seed, 1)))
	})
	if !ok {
		after()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x.accepted = ok
	s.tasks = append(s.tasks, x)
	return ok
}

func (s *blocking) work(r *rand.Rand) {
	thread := gettid()
	for range r.IntN(7) {
		s.step(r)
		if s.locked && gettid() != thread {
			s.t.Error("a started task has moved to another thread")
		}
	}
	if r.IntN(20) == 0 {
		exit()
	}
}

func (s *blocking) step(r *rand.Rand) {
	q := s.qs[r.IntN(len(s.qs))]
	switch r.IntN(14) {
	case 0, 1:
		s.waitForChild(q, r, func(wait func()) { wait() })
	case 2:
		s.waitForChild(q, r, func(wait func()) { lockstep.BlockInPlace(wait, stay) })
	case 3:
		wait := s.waitForOpener(r)
		lockstep.BlockInPlace(wait, lockstep.WithBlockInPlace(r.IntN(2) == 0))
	case 4:
		s.waitForOpener(r)()
	case 5:
		<-time.After(time.Duration(r.IntN(1000)) * time.Microsecond)
	case 6:
		spinFor(time.Duration(r.IntN(600))*time.Microsecond, nothing)
	case 7:
		spinFor(time.Duration(r.IntN(600))*time.Microsecond, lockstep.YieldIfNeeded)
	case 8:
		_ = lockstep.Sleep(bg, time.Duration(r.IntN(500))*time.Microsecond)
	case 9: // held while computing, but not over a yield
		s.mu.Lock()
		spinFor(time.Duration(r.IntN(20))*time.Microsecond, nothing)
		s.mu.Unlock()
	case 10:
		s.try(q, r.Uint64(), nothing)
	case 11:
		if s.size.Dec() > 0 {
			seed := r.Uint64()
			_, _ = lockstep.Spawn(q.Context(bg), func(context.Context) (int, error) {
				s.work(rand.New(rand.NewPCG(seed, 4)))
				return 0, nil
			}).Wait(bg)
		}
	default:
		lockstep.Yield()
	}
}

// waitForChild spawns a task, or makes a goroutine do it, and waits for it natively. In between, the caller does not give way.
func (s *blocking) waitForChild(q *lockstep.TaskQueue, r *rand.Rand, in func(wait func())) {
	g := s.newGate(r)
	seed := r.Uint64()
	if spawn := func() { s.try(q, seed, g.open) }; r.IntN(3) == 0 {
		s.opener <- spawn
	} else {
		spawn()
	}
	in(g.wait)
}

// waitForOpener returns a wait that a goroutine ends sooner or later, or that ends by itself.
func (s *blocking) waitForOpener(r *rand.Rand) (wait func()) {
	g := s.newGate(r)
	s.opener <- g.open
	if g.ch == nil || r.IntN(2) == 0 {
		return g.wait
	}
	limit := time.Duration(r.IntN(500)) * time.Microsecond
	return func() {
		select {
		case <-g.ch:
		case <-time.After(limit):
		}
	}
}

// spinFor computes.
func spinFor(d time.Duration, each func()) {
	for from := time.Now(); time.Since(from) < d; {
		each()
	}
}

// round runs one pool from New to Close, and returns how often its workers were rescued.
func (s *blocking) round(r *rand.Rand) (rescues uint64) {
	s.locked = !floating && r.IntN(3) > 0
	p, err := lockstep.New(
		lockstep.WithWorkers([]int{1, 2, 4}[r.IntN(3)]), lockstep.WithOverflow(1+r.IntN(3)), lockstep.WithLockOSThread(s.locked),
		lockstep.WithStallThreshold(time.Duration(100+r.IntN(2000))*time.Microsecond), lockstep.WithStallHandler(func(lockstep.StallReport) {}),
		lockstep.WithTaskQueue("a", lockstep.WithShares(1+r.IntN(1000))), lockstep.WithTaskQueue("b", lockstep.WithLatency(50*time.Microsecond)))
	require.NoError(s.t, err)
	s.p, s.qs = p, []*lockstep.TaskQueue{p.TaskQueue("default"), p.TaskQueue("a"), p.TaskQueue("b")}
	s.size.Store(int64(r.IntN(500)))
	s.opener = make(chan func())
	var openers, submitters sync.WaitGroup
	for range 3 {
		seed := r.Uint64()
		openers.Go(func() {
			r := rand.New(rand.NewPCG(seed, 2))
			for open := range s.opener {
				for range r.IntN(300) {
					runtime.Gosched()
				}
				open()
			}
		})
	}
	for range 1 + r.IntN(4) {
		seed := r.Uint64()
		submitters.Go(func() { s.submit(rand.New(rand.NewPCG(seed, 3))) })
	}
	for range r.IntN(2000) {
		runtime.Gosched()
	}
	forced := r.IntN(3) == 0
	if forced {
		ctx, cancel := context.WithTimeout(bg, time.Duration(r.IntN(2000))*time.Microsecond)
		_ = p.Shutdown(ctx) // an error names tasks that block natively
		cancel()
		s.openAll() // in the place of tasks that were dropped
	}
	require.NoError(s.t, p.Close())
	submitters.Wait()
	close(s.opener)
	openers.Wait()
	s.check(forced)
	return p.Stats().Rescue.Rescues
}

// submit is a goroutine that submits tasks until the pool is closed or there are enough.
func (s *blocking) submit(r *rand.Rand) {
	for s.try(s.qs[r.IntN(len(s.qs))], r.Uint64(), nothing) {
		for range r.IntN(4) {
			runtime.Gosched()
		}
	}
}

func (s *blocking) check(forced bool) {
	for _, x := range s.tasks {
		switch n := x.began.Load(); {
		case !x.accepted:
			require.Zero(s.t, n, "a task that was refused")
		case n != 1 && !(forced && n == 0):
			require.Equal(s.t, int32(1), n, "an accepted task")
		}
	}
	require.Zero(s.t, s.live.Load())
	for _, q := range s.p.Stats().Queues {
		require.Equal(s.t, q.Started, q.Finished)
		require.Zero(s.t, q.Queued)
		require.True(s.t, forced || q.Cancelled == 0)
	}
}

// Rounds of it, locked and floating; some are closed in the middle, and some shut down by force.
func TestStressRescue(t *testing.T) {
	long, _ := stressTime(1500 * time.Millisecond)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	before := runtime.NumGoroutine()
	rescues := uint64(0)
	for round, from := 0, time.Now(); round < 3 || time.Since(from) < long; round++ {
		seed := rand.Uint64()
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			if round%8 == 0 {
				runtime.GOMAXPROCS([]int{1, 2, 4}[r.IntN(3)])
			}
			s := &blocking{t: t}
			rescues += s.round(r)
		})
		if t.Failed() {
			return
		}
	}
	settled(before)
	t.Log("workers were rescued", rescues, "times")
	require.NotZero(t, rescues)
}
