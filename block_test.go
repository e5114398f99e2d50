package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

var (
	move = lockstep.WithBlockInPlace(true)
	stay = lockstep.WithBlockInPlace(false)
)

// moved tells whether a section with these options, begun here, goes to the overflow pool of p.
func moved(p *lockstep.Pool, opts ...lockstep.BlockOption) bool {
	before := p.Stats().Overflow.Sections
	calls := 0
	lockstep.BlockInPlace(func() { calls++ }, opts...)
	if calls != 1 {
		panic("called " + fmt.Sprint(calls) + " times")
	}
	return p.Stats().Overflow.Sections > before
}

func TestNearestBlockFlagWins(t *testing.T) {
	for _, onPool := range []*bool{nil, new(false), new(true)} {
		for _, onQueue := range []*bool{nil, new(false), new(true)} {
			opts := []lockstep.Option{lockstep.WithWorkers(1)}
			want := false
			if onPool != nil {
				want = *onPool
				opts = append(opts, lockstep.WithBlockInPlace(*onPool))
			}
			var queueOpts []lockstep.QueueOption
			if onQueue != nil {
				want = *onQueue
				queueOpts = append(queueOpts, lockstep.WithBlockInPlace(*onQueue))
			}
			p := newPool(t, append(opts, lockstep.WithTaskQueue("q", queueOpts...))...)
			name := fmt.Sprint(len(opts)-1, onPool != nil && *onPool, len(queueOpts), onQueue != nil && *onQueue)
			_ = p.TaskQueue("q").Run(bg, func(context.Context) error {
				require.Equal(t, want, moved(p), name)
				require.True(t, moved(p, move), name)
				require.False(t, moved(p, stay), name)
				require.False(t, moved(p, move, stay), name)
				return nil
			})
			inTask(p, func(context.Context) { require.Equal(t, onPool != nil && *onPool, moved(p)) })
			s := p.TaskQueue("q").Stats()
			require.Equal(t, uint64(4), s.SectionsInline+s.SectionsMoved)
		}
	}
}

func TestMovedSectionFreesTheWorker(t *testing.T) {
	p := workers(t, 1)
	inTask(p, func(context.Context) {
		done := make(chan struct{})
		p.Go(func() { close(done) })
		lockstep.BlockInPlace(func() { <-done }, move)
	})
}

func TestBlockInPlaceValueReturnsBoth(t *testing.T) {
	p := workers(t, 1)
	wrong := errors.New("wrong")
	f := func() ([]int, error) { return []int{1, 2}, wrong }
	inTask(p, func(context.Context) {
		for _, o := range []lockstep.BlockOption{move, stay} {
			v, err := lockstep.BlockInPlaceValue(f, o)
			require.Equal(t, []int{1, 2}, v)
			require.Same(t, wrong, err)
		}
	})
	v, err := lockstep.BlockInPlaceValue(f, move)
	require.Equal(t, []int{1, 2}, v)
	require.Same(t, wrong, err)
}

// D30: the table of callers in the documentation of BlockInPlace.
func TestD30BlockInPlaceFromEveryPlace(t *testing.T) {
	p := workers(t, 1, lockstep.WithOverflow(1), lockstep.WithBlockInPlace(true))
	other := workers(t, 1)
	require.False(t, moved(p), "outside")
	inTask(p, func(context.Context) {
		require.True(t, moved(p), "in a task")
		lockstep.BlockInPlace(func() {
			require.False(t, moved(p), "in a moved section, which has no task")
			require.False(t, lockstep.NeedYield())
			lockstep.Yield()
			lockstep.YieldIfNeeded()
		})
		lockstep.BlockInPlace(func() {
			require.True(t, moved(p), "in a section in place")
			lockstep.BlockInPlace(func() { require.True(t, moved(p)) }, stay)
		}, stay)
		outside(func() { require.False(t, moved(p), "in a goroutine started by a task") })
		fired := make(chan struct{})
		time.AfterFunc(1, func() { defer close(fired); require.False(t, moved(p), "in a timer") })
		<-fired
		inTask(other, func(context.Context) { require.False(t, moved(p), "in a task of another pool") })
	})
	require.Equal(t, uint64(1), other.Stats().Queues[0].SectionsInline)
	p.Go(func() { untilClosed(p); require.True(t, moved(p), "while the pool closes") })
	require.NoError(t, p.Close())

	p = workers(t, 1, lockstep.WithBlockInPlace(true))
	began := make(chan struct{})
	finished := false
	p.Go(func() {
		defer func() { require.True(t, moved(p), "in a task that Shutdown has ended") }()
		lockstep.BlockInPlace(func() {
			close(began)
			untilClosed(p)
			for range 1000 { // it is not cut short
				runtime.Gosched()
			}
			finished = true
		})
		for {
			lockstep.Yield()
		}
	})
	<-began
	_ = p.Shutdown(endedContext())
	require.NoError(t, p.Close())
	require.True(t, finished)
}

func TestD05PanicsOfSectionsReachTheTask(t *testing.T) {
	p := workers(t, 1, lockstep.WithOverflow(1))
	for _, o := range []lockstep.BlockOption{move, stay} {
		inTask(p, func(context.Context) {
			for _, v := range []any{"boom", context.Canceled, 7} {
				require.Equal(t, v, panicOf(func() { lockstep.BlockInPlace(func() { panic(v) }, o) }))
			}
			require.IsType(t, &runtime.PanicNilError{}, panicOf(func() { lockstep.BlockInPlace(panicsWithNil, o) }))
			for i := range 10 {
				v, err := lockstep.BlockInPlaceValue(func() (int, error) { return i, nil }, o)
				require.NoError(t, err)
				require.Equal(t, i, v)
			}
		})
		require.Equal(t, "boom", panicOf(func() {
			_ = p.Run(bg, func(context.Context) error { lockstep.BlockInPlace(func() { panic("boom") }, o); return nil })
		}))
	}
}

func TestGoexitInASectionEndsTheTask(t *testing.T) {
	p := workers(t, 1, lockstep.WithOverflow(1))
	for _, o := range []lockstep.BlockOption{move, stay} {
		deferred, after := 0, false
		for range 20 {
			_, err := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
				defer func() { deferred++ }()
				lockstep.BlockInPlace(func() { defer func() { deferred++ }(); exit() }, o)
				after = true
				return 0, nil
			}).Wait(bg)
			require.Equal(t, lockstep.ErrGoexit, err)
		}
		require.Equal(t, 40, deferred)
		require.False(t, after)
	}
	inTask(p, func(context.Context) { require.True(t, moved(p, move), "no place was lost") })
}

func TestFullOverflowQueuesSections(t *testing.T) {
	for _, limit := range []int{1, 3} {
		p := workers(t, 2, lockstep.WithOverflow(limit), lockstep.WithBlockInPlace(true))
		var active, most, ran atomic.Int32
		gate := make(chan struct{})
		defer func() { _ = panicOf(func() { close(gate) }) }() // so that a failure does not hang
		for i := range 200 {
			p.Go(func() {
				lockstep.BlockInPlace(func() {
					n := active.Inc()
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					<-gate
					ran.Inc()
					active.Dec()
					if i%5 == 0 {
						exit()
					}
				})
			})
		}
		until(func() bool { return p.Stats().Overflow.Sections == 200 })
		o := p.Stats().Overflow
		require.Equal(t, [3]int{limit, limit, 200 - limit}, [3]int{o.Limit, o.Running, o.Queued})
		for range 100 { // D31: tasks that do not block still run
			require.NoError(t, p.Run(bg, func(context.Context) error { return nil }))
		}
		close(gate)
		require.NoError(t, p.Close())
		require.Equal(t, int32(200), ran.Load())
		require.LessOrEqual(t, most.Load(), int32(limit))
		require.Zero(t, p.Stats().Overflow.Running)
	}
}
