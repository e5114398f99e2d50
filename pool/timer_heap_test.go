package pool_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep/pool"
)

// The timers against a list that is sorted, stably, by time.
func TestTimersAgainstASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type armed struct {
			when int64
			id   int
		}
		var h pool.TimerHeap
		var model []armed
		var fired []int
		now := int64(1)
		timers := make([]*pool.TestTimer, 300)
		for i := range timers {
			timers[i] = &pool.TestTimer{}
			timers[i].OnFire(func() { fired = append(fired, i) })
		}
		at := func(id int) int { return slices.IndexFunc(model, func(a armed) bool { return a.id == id }) }
		arm := func(id int, when int64) {
			if at(id) < 0 {
				h.Add(timers[id], when)
				model = append(model, armed{when, id})
				slices.SortStableFunc(model, func(a, b armed) int { return cmp.Compare(a.when, b.when) })
			}
		}
		remove := func(id int) {
			i := at(id)
			require.Equal(t, i >= 0, h.Remove(timers[id]))
			if i >= 0 {
				model = slices.Delete(model, i, i+1)
			}
		}
		id := rapid.IntRange(0, len(timers)-1)
		t.Repeat(map[string]func(*rapid.T){
			"arm": func(t *rapid.T) {
				arm(id.Draw(t, "id"), now+rapid.Int64Range(0, 20).Draw(t, "in")<<rapid.IntRange(0, 50).Draw(t, "shift"))
			},
			"arm many": func(t *rapid.T) {
				from, in := id.Draw(t, "from"), rapid.Int64Range(0, 1000).Draw(t, "in")
				for i := range rapid.IntRange(1, 150).Draw(t, "n") {
					arm((from+i)%len(timers), now+in+int64(i*7%5))
				}
			},
			"remove": func(t *rapid.T) { remove(id.Draw(t, "id")) },
			"remove many": func(t *rapid.T) {
				from := id.Draw(t, "from")
				for i := range rapid.IntRange(1, 250).Draw(t, "n") {
					remove((from + i) % len(timers))
				}
			},
			"pass": func(t *rapid.T) {
				now += rapid.Int64Range(0, 30).Draw(t, "d")
				fired = fired[:0]
				for h.Due(now) {
				}
				for i := range fired {
					require.Equal(t, fired[i], model[i].id)
					require.LessOrEqual(t, model[i].when, now)
				}
				model = slices.Delete(model, 0, len(fired))
			},
			"": func(t *rapid.T) {
				first := int64(0)
				if len(model) > 0 {
					first = model[0].when
				}
				require.Equal(t, first, h.First(), "the worker sleeps until the first that is alive")
				require.LessOrEqual(t, h.Entries(), 2*len(model)+66, "cancelled timers pile up")
			},
		})
	})
}

// Timers that are always cancelled leave nothing behind, in whatever order.
func TestCancelledTimersDoNotPileUp(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	var h pool.TimerHeap
	var pending []*pool.TestTimer
	for i := range 200_000 {
		x := &pool.TestTimer{}
		h.Add(x, int64(i)+rnd.Int64N(1e9))
		pending = append(pending, x)
		if len(pending) > 100 {
			j := rnd.IntN(len(pending))
			require.True(t, h.Remove(pending[j]))
			pending[j] = pending[len(pending)-1]
			pending = pending[:len(pending)-1]
		}
		if h.Entries() > 2*101+66 {
			t.Fatal(h.Entries())
		}
	}
	for _, x := range pending {
		require.True(t, h.Remove(x))
		require.False(t, h.Remove(x))
	}
	require.Zero(t, h.Entries())
}
