package lockstep_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

func queueWith(o lockstep.QueueOption) lockstep.Option { return lockstep.WithTaskQueue("q", o) }

func manyQueues(n int) (all []lockstep.Option) {
	for i := range n {
		all = append(all, lockstep.WithTaskQueue(fmt.Sprint("queue", i)))
	}
	return all
}

var badOptions = []struct {
	name string
	opts []lockstep.Option
	want string // in the error
}{
	{"no worker", []lockstep.Option{lockstep.WithWorkers(0)}, "WithWorkers(0) is not between 1 and 4096"},
	{"negative workers", []lockstep.Option{lockstep.WithWorkers(-1)}, "WithWorkers(-1)"},
	{"too many workers", []lockstep.Option{lockstep.WithWorkers(4097)}, "WithWorkers(4097)"},
	{"least int", []lockstep.Option{lockstep.WithWorkers(math.MinInt)}, "WithWorkers("},
	{"no shares", []lockstep.Option{queueWith(lockstep.WithShares(0))}, `WithTaskQueue("q"): WithShares(0)`},
	{"negative shares", []lockstep.Option{queueWith(lockstep.WithShares(-5))}, "WithShares(-5)"},
	{"too many shares", []lockstep.Option{queueWith(lockstep.WithShares(lockstep.MaxShares + 1))}, "WithShares(1048577)"},
	{"no latency", []lockstep.Option{queueWith(lockstep.WithLatency(0))}, `WithTaskQueue("q"): WithLatency(0s)`},
	{"short latency", []lockstep.Option{queueWith(lockstep.WithLatency(9 * time.Microsecond))}, "WithLatency(9µs)"},
	{"long latency", []lockstep.Option{queueWith(lockstep.WithLatency(time.Second + 1))}, "WithLatency(1.000000001s)"},
	{"no quantum", []lockstep.Option{lockstep.WithQuantum(0)}, "WithQuantum(0s)"},
	{"negative quantum", []lockstep.Option{lockstep.WithQuantum(-time.Second)}, "WithQuantum(-1s)"},
	{"long quantum", []lockstep.Option{lockstep.WithQuantum(time.Hour)}, "WithQuantum(1h0m0s)"},
	{"no capacity", []lockstep.Option{lockstep.WithCapacity(0)}, "WithCapacity(0)"},
	{"negative capacity", []lockstep.Option{lockstep.WithCapacity(-1)}, "WithCapacity(-1)"},
	{"no spare P", []lockstep.Option{lockstep.WithSpareProcs(0)}, "WithSpareProcs(0)"},
	{"too many spare Ps", []lockstep.Option{lockstep.WithSpareProcs(257)}, "WithSpareProcs(257)"},
	{"no overflow", []lockstep.Option{lockstep.WithOverflow(0)}, "WithOverflow(0)"},
	{"too much overflow", []lockstep.Option{lockstep.WithOverflow(1_000_001)}, "WithOverflow(1000001)"},
	{"nil thread init", []lockstep.Option{lockstep.WithThreadInit(nil)}, "WithThreadInit: the function is nil"},
	{"nil panic handler", []lockstep.Option{lockstep.WithPanicHandler(nil)}, "WithPanicHandler: the function is nil"},
	{"nil logger", []lockstep.Option{lockstep.WithLogger(nil)}, "WithLogger: the logger is nil"},
	{"nil option", []lockstep.Option{lockstep.WithWorkers(1), nil}, "option 2 is nil"},
	{"nil queue option", []lockstep.Option{queueWith(nil)}, `WithTaskQueue("q"): an option is nil`},
	{"queue without a name", []lockstep.Option{lockstep.WithTaskQueue("")}, "the name is empty"},
	{"queue declared twice", manyQueues(1)[:1:1], ""}, // completed below
	{"too many queues", manyQueues(1025), "1025 task queues are declared"},
	{"option twice", []lockstep.Option{lockstep.WithWorkers(1), lockstep.WithWorkers(2)}, "WithWorkers is given twice"},
	{"flag twice", []lockstep.Option{lockstep.WithBlockInPlace(true), lockstep.WithBlockInPlace(false)}, "WithBlockInPlace is given twice"},
	{
		"queue option twice",
		[]lockstep.Option{lockstep.WithTaskQueue("q", lockstep.WithShares(1), lockstep.WithShares(1))},
		`WithTaskQueue("q"): WithShares is given twice`,
	},
	{
		"thread init without threads",
		[]lockstep.Option{lockstep.WithLockOSThread(false), lockstep.WithThreadInit(func(int) func() { return nil })},
		"WithThreadInit needs workers with threads of their own",
	},
}

func TestNewRefusesBadOptions(t *testing.T) {
	for _, c := range badOptions {
		if c.want == "" {
			c.opts, c.want = append(manyQueues(1), manyQueues(1)...), `queue "queue0" is declared twice`
		}
		t.Run(c.name, func(t *testing.T) {
			p, err := lockstep.New(c.opts...)
			require.Nil(t, p)
			require.ErrorContains(t, err, c.want)
			for line := range strings.SplitSeq(err.Error(), "\n") {
				require.True(t, strings.HasPrefix(line, "lockstep: "), line)
			}
		})
	}
}

func TestNewReportsAllProblemsInOneError(t *testing.T) {
	var all []lockstep.Option
	for _, c := range badOptions {
		all = append(all, c.opts...)
	}
	all = append(all, lockstep.WithThreadInit(func(int) func() { t.Error("a pool was started"); return nil }))
	_, err := lockstep.New(all...)
	require.Error(t, err)
	for _, c := range badOptions {
		if strings.HasPrefix(c.want, "option ") || strings.Contains(c.want, "task queues are") {
			continue // the number in the text is another one here
		}
		require.ErrorContains(t, err, c.want)
	}
	require.ErrorContains(t, err, `queue "queue0" is declared twice`, "queue0 is in two lists")
}

func TestNewTakesTheLimits(t *testing.T) {
	p := newPool(t,
		lockstep.WithWorkers(1), lockstep.WithCapacity(1), lockstep.WithOverflow(1_000_000), lockstep.WithQuantum(time.Second),
		lockstep.WithBlockInPlace(true), lockstep.WithLogger(slog.New(slog.DiscardHandler)), lockstep.WithLockOSThread(true),
		lockstep.WithTaskQueue("default", lockstep.WithShares(lockstep.MinShares), lockstep.WithLatency(time.Second)),
		lockstep.WithTaskQueue("q", lockstep.WithShares(lockstep.MaxShares), lockstep.WithLatency(10*time.Microsecond)))
	inTask(p, func(context.Context) { lockstep.BlockInPlace(func() {}) })
	require.Equal(t, uint64(1), p.Stats().Overflow.Sections)
	require.Equal(t, lockstep.MinShares, p.TaskQueue("default").Stats().Shares)
	require.Equal(t, lockstep.MaxShares, p.TaskQueue("q").Stats().Shares)
	require.Len(t, p.Stats().Queues, 2)
	many := newPool(t, manyQueues(1024)...)
	require.NoError(t, many.TaskQueue("queue1023").Run(bg, func(context.Context) error { return nil }))
}

func TestUnknownQueueNamePanics(t *testing.T) {
	p := workers(t, 1)
	require.Equal(t, `lockstep: the pool has no task queue named "nobody"; declare it with WithTaskQueue`,
		panicOf(func() { p.TaskQueue("nobody") }))
	require.Equal(t, "default", p.TaskQueue("default").Name())
	require.Same(t, p, p.TaskQueue("default").Pool())
}

func TestSetSharesOutOfRangeChangesNothing(t *testing.T) {
	q := workers(t, 1).TaskQueue("default")
	for _, n := range []int{0, -1, lockstep.MaxShares + 1, math.MaxInt, math.MinInt} {
		require.ErrorContains(t, q.SetShares(n), fmt.Sprintf(`lockstep: SetShares(%d) of queue "default" is not between`, n))
	}
	require.Equal(t, 100, q.Stats().Shares)
}

func TestNilFuncPanicsEverywhere(t *testing.T) {
	p := workers(t, 1)
	useDefault(t, p)
	q := p.TaskQueue("default")
	var g lockstep.Group
	ended, cancel := context.WithCancel(bg)
	cancel()
	calls := map[string]func(){
		"Go":                func() { lockstep.Go(nil) },
		"Pool.Go":           func() { p.Go(nil) },
		"Pool.TryGo":        func() { p.TryGo(nil) },
		"Pool.Submit":       func() { _ = p.Submit(bg, nil) },
		"Submit, ended":     func() { _ = p.Submit(ended, nil) },
		"Pool.Run":          func() { _ = p.Run(bg, nil) },
		"Run":               func() { _ = lockstep.Run(bg, nil) },
		"Queue.Go":          func() { q.Go(nil) },
		"Queue.TryGo":       func() { q.TryGo(nil) },
		"Queue.Submit":      func() { _ = q.Submit(bg, nil) },
		"Queue.Run":         func() { _ = q.Run(bg, nil) },
		"Spawn":             func() { lockstep.Spawn[int](bg, nil) },
		"Group.Go":          func() { g.Go(nil) },
		"Group.TryGo":       func() { g.TryGo(nil) },
		"BlockInPlace":      func() { lockstep.BlockInPlace(nil) },
		"moved":             func() { lockstep.BlockInPlace(nil, lockstep.WithBlockInPlace(true)) },
		"BlockInPlaceValue": func() { _, _ = lockstep.BlockInPlaceValue[int](nil) },
	}
	for name, f := range calls {
		require.Regexp(t, "^lockstep: .* of a nil func$", panicOf(f), name)
		inTask(p, func(context.Context) { require.Regexp(t, "^lockstep: .* of a nil func$", panicOf(f), name) })
	}
	require.NoError(t, g.Wait(), "a refused function leaves the group as it was")
}

func TestOtherNilsPanic(t *testing.T) {
	p := workers(t, 1)
	require.Equal(t, "lockstep: SetDefault of a nil pool", panicOf(func() { lockstep.SetDefault(nil) }))
	var none context.Context
	inTask(p, func(ctx context.Context) {
		require.NotNil(t, panicOf(func() {
			lockstep.Spawn(none, func(context.Context) (int, error) { return 0, nil })
		}))
		require.Regexp(t, "^lockstep: .*nil", panicOf(func() { lockstep.BlockInPlace(func() {}, nil) }))
	})
}

// A task that recovers from a wait with a nil context must not find the wake of that
// wait in its next one.
func TestWaitWithNilContextLeavesNoWakeBehind(t *testing.T) {
	p := workers(t, 1)
	var none context.Context
	inTask(p, func(ctx context.Context) {
		gate := lockstep.Spawn(ctx, func(context.Context) (int, error) { return 1, nil })
		require.NotNil(t, panicOf(func() { _, _ = gate.Wait(none) }))
		later := lockstep.Spawn(ctx, func(context.Context) (int, error) {
			lockstep.Yield()
			lockstep.Yield()
			return 2, nil
		})
		_, _ = gate.Wait(ctx)
		v, err := later.Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, 2, v)
	})
}
