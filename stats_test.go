package lockstep_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

func TestD16CountersAddUp(t *testing.T) {
	p := still(t, 2, lockstep.WithOverflow(2), lockstep.WithPanicHandler(func(*lockstep.PanicError) {}),
		lockstep.WithTaskQueue("a"), lockstep.WithTaskQueue("b", lockstep.WithBlockInPlace(true)))
	queues := []*lockstep.TaskQueue{p.TaskQueue("default"), p.TaskQueue("a"), p.TaskQueue("b")}
	ended := endedContext()
	random := rand.New(rand.NewPCG(1, 2))
	var want [3]lockstep.QueueStats
	var yields [3]uint64
	for range 10_000 {
		i := random.IntN(3)
		q, w := queues[i], &want[i]
		w.Started++
		w.Finished++
		handle := random.IntN(2) == 0
		run := func(f func()) {
			if !handle {
				q.Go(f)
				return
			}
			lockstep.Spawn(q.Context(bg), func(context.Context) (int, error) { f(); return 0, nil })
		}
		switch random.IntN(8) {
		case 0:
			run(nothing)
		case 1:
			w.Panicked++
			run(panicsWithAString)
		case 2:
			w.Panicked++
			yields[i]++
			run(func() { lockstep.Yield(); panic("x") })
		case 3:
			w.Exited++
			run(exit)
		case 4:
			w.Exited++
			w.SectionsMoved++
			run(func() { lockstep.BlockInPlace(exit, move) })
		case 5: // not begun
			lockstep.Spawn(q.Context(ended), func(context.Context) (int, error) { t.Error("called"); return 0, nil })
		case 6:
			if i == 2 {
				w.SectionsMoved++
			} else {
				w.SectionsInline++
			}
			run(func() { lockstep.BlockInPlace(nothing) })
		case 7:
			yields[i] += 3
			run(func() { lockstep.Yield(); lockstep.Yield(); lockstep.Yield() })
		}
	}
	// Every worker is still there: as many tasks as workers meet.
	var barrier, met sync.WaitGroup
	barrier.Add(2)
	met.Add(2)
	for range 2 {
		p.Go(func() { barrier.Done(); barrier.Wait(); met.Done() })
	}
	met.Wait()
	want[0].Started += 2
	want[0].Finished += 2
	require.NoError(t, p.Close())
	s := p.Stats()
	require.Equal(t, s, p.Stats(), "reading changes nothing")
	require.Equal(t, []string{"default", "a", "b"}, []string{s.Queues[0].Name, s.Queues[1].Name, s.Queues[2].Name})
	for i, got := range s.Queues {
		w := want[i]
		require.Equal(t, yields[i], got.YieldsVoluntary+got.YieldsAlone, got.Name)
		require.Equal(t, got.YieldsVoluntary+got.YieldsForced+w.SectionsMoved, got.Resumed, "turns of tasks that had given way")
		require.Less(t, got.WaitTime, time.Duration(w.Started)*time.Hour, "a difference of clocks ran over")
		require.Positive(t, got.Visits)
		require.Positive(t, got.RunTime)
		w.Name, w.Shares = got.Name, 100
		w.RunTime, w.WaitTime, w.Resumed, w.Visits, w.SetAside = got.RunTime, got.WaitTime, got.Resumed, got.Visits, got.SetAside
		w.YieldsVoluntary, w.YieldsAlone = got.YieldsVoluntary, got.YieldsAlone
		require.Equal(t, w, got)
		require.Equal(t, got, queues[i].Stats())
	}
	require.Equal(t, want[0].SectionsMoved+want[1].SectionsMoved+want[2].SectionsMoved, s.Overflow.Sections)
	require.Equal(t, [3]int{2, 0, 0}, [3]int{s.Overflow.Limit, s.Overflow.Running, s.Overflow.Queued})
	require.Len(t, slices.DeleteFunc(slices.Clone(s.Workers), func(w lockstep.WorkerStats) bool { return w.Helper }), 2)
	sum := lockstep.QueueStats{}
	for _, w := range s.Workers {
		require.Zero(t, w.Queued)
		for _, q := range w.Queues {
			sum.Started += q.Started
			sum.RunTime += q.RunTime
		}
	}
	require.Equal(t, s.Queues[0].Started+s.Queues[1].Started+s.Queues[2].Started, sum.Started)
	require.Equal(t, s.Workers[0].RunTime+s.Workers[1].RunTime, sum.RunTime)
}

func TestStatsNeverGoBackWhileRead(t *testing.T) {
	p := workers(t, 2)
	var stop atomic.Bool
	for range 50 {
		p.Go(func() {
			for !stop.Load() {
				lockstep.Yield()
				p.Go(nothing)
				lockstep.BlockInPlace(nothing, lockstep.WithBlockInPlace(rand.IntN(2) == 0))
			}
		})
	}
	var last lockstep.QueueStats
	for range 2000 {
		s := p.Stats().Queues[0]
		require.LessOrEqual(t, s.Finished, s.Started)
		require.GreaterOrEqual(t, s.Started, last.Started)
		require.GreaterOrEqual(t, s.Finished, last.Finished)
		require.GreaterOrEqual(t, s.RunTime, last.RunTime)
		require.GreaterOrEqual(t, s.WaitTime, last.WaitTime)
		require.GreaterOrEqual(t, s.Resumed, last.Resumed)
		require.GreaterOrEqual(t, s.Visits, last.Visits)
		require.GreaterOrEqual(t, s.SetAside, last.SetAside)
		last = s
	}
	stop.Store(true)
}

func TestRunAndWaitTimeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := still(t, 1, lockstep.WithTaskQueue("q"))
		q := p.TaskQueue("q")
		began := make(chan struct{})
		inTask(p, func(context.Context) {
			for i := range 10 {
				q.Go(func() {
					if i == 0 {
						close(began)
					}
					time.Sleep(time.Second) // stands for work
				})
			}
		})
		<-began // so that the signal of Close makes the worker look at the clock after the first task; it knows then that tasks are long
		require.NoError(t, p.Close())
		s := q.Stats()
		require.Equal(t, 10*time.Second, s.RunTime)
		require.InDelta(t, 45, s.WaitTime.Seconds(), 0.01, "0 + 1 + ... + 9 seconds")
		require.Zero(t, s.Queued)
	})
}

func TestStatsLogValue(t *testing.T) {
	p := workers(t, 3, lockstep.WithTaskQueue("bulk"))
	inTask(p, func(context.Context) {})
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("pool", "stats", p.Stats())
	require.Contains(t, b.String(), "stats.default.started=1")
	require.Contains(t, b.String(), "stats.bulk.finished=0")
	require.Contains(t, b.String(), "stats.workers=3")
}

func TestSentinelsAreDistinct(t *testing.T) {
	all := []error{lockstep.ErrClosed, lockstep.ErrGoexit, lockstep.ErrShutdown}
	for i, a := range all {
		for j, b := range all {
			require.Equal(t, i == j, errors.Is(a, b))
		}
		require.True(t, strings.HasPrefix(a.Error(), "lockstep: "))
	}
}
