package lockstep_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// Every way out of a task, among them that of one whose context ends while it is queued, counts down once and leaves its
// worker, its place among the queued and its place in the overflow pool to the next.
func TestD16EveryWayOutGivesThePlaceBack(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 16))
	const places, capacity = 2, 20
	p := still(t, places, lockstep.WithOverflow(places), lockstep.WithCapacity(capacity), lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
	var began atomic.Int64
	outs := []func(){nothing, panicsWithAString, exit, lockstep.Yield}
	for _, o := range []lockstep.BlockOption{move, stay} {
		for _, f := range outs[:3] {
			outs = append(outs, func() { lockstep.BlockInPlace(f, o) })
		}
	}
	var tasks []*lockstep.Task[int]
	const n = 10_000
	for range n {
		out := outs[random.IntN(len(outs))]
		task := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { began.Inc(); out(); return 1, nil })
		if random.IntN(4) == 0 {
			task.Cancel(errStress)
		}
		tasks = append(tasks, task)
	}
	ended := map[string]int64{}
	for _, task := range tasks {
		switch _, err := task.Wait(bg); err.(type) {
		case nil:
			ended["returned"]++
		case *lockstep.PanicError:
			ended["panicked"]++
		default:
			ended[err.Error()]++
		}
	}
	meet(t, p, places)
	meetInSections(t, p, places)
	release := hold(p, places)
	for range capacity {
		require.True(t, p.TryGo(nothing), "a place in the queue was lost")
	}
	require.False(t, p.TryGo(nothing))
	release()
	require.NoError(t, p.Close())
	s := p.Stats()
	q := s.Queues[0]
	require.Equal(t, uint64(n+3*places+capacity), q.Finished)
	require.Equal(t, q.Started, q.Finished)
	require.Zero(t, q.Queued)
	require.Equal(t, [2]int{0, 0}, [2]int{s.Overflow.Running, s.Overflow.Queued})
	require.Equal(t, int64(q.Panicked), ended["panicked"])
	require.Equal(t, int64(q.Exited), ended[lockstep.ErrGoexit.Error()])
	cancelled := ended[errStress.Error()]
	require.Equal(t, int64(n), ended["returned"]+ended["panicked"]+ended[lockstep.ErrGoexit.Error()]+cancelled)
	require.Equal(t, int64(n), began.Load()+cancelled, "who did not begin was cancelled, and the other way round")
}
