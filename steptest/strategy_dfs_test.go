package steptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
)

// observed is a chooser that keeps what another one has chosen.
type observed struct {
	steptest.Strategy
	trace       []int // IDs
	preemptions int
}

func (o *observed) Next(enabled []*steptest.Task, at int) int {
	k := o.Strategy.Next(enabled, at)
	if at >= 0 && k != at && enabled[at].Op != pool.OpYield {
		o.preemptions++
	}
	o.trace = append(o.trace, enabled[k].ID)
	return k
}

func (o *observed) Decide(what steptest.Choice, n int) int {
	k := o.Strategy.Decide(what, n)
	o.trace = append(o.trace, 1000+k)
	return k
}

// pair is two tasks that make so many points each, spawned by one that has nothing else to do.
func pair(a, b int) func(bad func()) {
	return func(func()) {
		lockstep.Go(func() { work(a) })
		lockstep.Go(func() { work(b) })
	}
}

// orders counts the orders of the steps of pair, by their preemptions, by trying out all. While there is something to choose, the first task
// has one step left, with which it spawns the last, and each of the others one for its start and one for each point.
func orders(a, b int) map[int]int {
	counts := map[int]int{}
	var try func(left [3]int, last, preemptions int)
	try = func(left [3]int, last, preemptions int) {
		if left == [3]int{} {
			counts[preemptions]++
		}
		for i, n := range left {
			if n == 0 || i == 2 && left[0] > 0 { // it is not spawned yet
				continue
			}
			p := preemptions
			if last != i && left[last] > 0 {
				p++
			}
			next := left
			next[i]--
			try(next, i, p)
		}
	}
	try([3]int{1, a + 1, b + 1}, 0, 0)
	return counts
}

// searchAll runs a search to its end, and returns what was tried, each with its preemptions.
func searchAll(t *testing.T, d *steptest.DFS, body func(bad func())) map[string]int {
	t.Helper()
	b := newBench()
	defer b.close()
	tried := map[string]int{}
	highest := 0
	for d.Begin(&steptest.Schedule{}) {
		o := &observed{Strategy: d}
		b.run(o, body)
		b.end()
		d.End()
		trace := fmt.Sprint(o.trace)
		_, again := tried[trace]
		require.Equal(t, again, d.Again(), "schedule %s", trace)
		if !again {
			require.GreaterOrEqual(t, o.preemptions, highest, "those with fewer preemptions come first")
			highest = o.preemptions
		}
		tried[trace] = o.preemptions
	}
	require.True(t, d.Complete())
	require.Len(t, tried, d.Count())
	return tried
}

func TestDFSTriesEachScheduleOnce(t *testing.T) {
	for _, x := range []struct{ a, b, all int }{
		{0, 0, 3},   // main, then b; a somewhere: (2+1 choose 1)
		{1, 1, 10},  // main and b's 2 steps are a sequence of 3, among which are a's 2: (5 choose 2)
		{2, 1, 20},  // (6 choose 3)
		{3, 3, 126}, // (9 choose 4)
	} {
		counts := orders(x.a, x.b)
		all := 0
		for _, n := range counts {
			all += n
		}
		require.Equal(t, x.all, all)

		d := steptest.Bounded(-1)
		got := map[int]int{}
		for _, preemptions := range searchAll(t, d, pair(x.a, x.b)) {
			got[preemptions]++
		}
		require.Equal(t, counts, got)
		for k, n := range d.Counts() {
			require.Equal(t, counts[k], n)
		}
	}
}

func TestDFSKeepsTheBound(t *testing.T) {
	counts := orders(2, 2)
	all := 0
	for bound := range 3 {
		all += counts[bound]
		d := steptest.Bounded(bound)
		for _, preemptions := range searchAll(t, d, pair(2, 2)) {
			require.LessOrEqual(t, preemptions, bound)
		}
		require.Equal(t, all, d.Count())
		require.False(t, d.Exhausted())
	}
	require.Equal(t, "complete: all schedules with at most 1 preemption (7)", func() string {
		d := steptest.Bounded(1)
		searchAll(t, d, pair(2, 2))
		return d.String()
	}())
}

func TestDFSSeesAllOutcomes(t *testing.T) {
	outcomes := map[int]int{}
	searchAll(t, steptest.Bounded(-1), func(func()) {
		var c cell
		add := func() { c.store(c.load() + 1) }
		together(add, add)
		outcomes[c.v]++
	})
	require.Contains(t, outcomes, 1)
	require.Contains(t, outcomes, 2)
	require.Len(t, outcomes, 2)
}

func TestDFSTriesEachAnswer(t *testing.T) {
	seen := map[[2]int]int{}
	d := steptest.Bounded(0)
	searchAll(t, d, func(func()) {
		a := pool.Decide(pool.ChoiceUser, 3)
		seen[[2]int{a, pool.Decide(pool.ChoiceNeed, a+1)}]++
	})
	require.Equal(t, map[[2]int]int{{0, 0}: 1, {1, 0}: 1, {1, 1}: 1, {2, 0}: 1, {2, 1}: 1, {2, 2}: 1}, seen)
	require.True(t, d.Exhausted())
	require.Equal(t, "complete: all schedules (6)", d.String())
}

func TestDFSBranchesWorkersIfAsked(t *testing.T) {
	body := func(func()) { lockstep.Go(func() {}) }
	d := steptest.Bounded(-1)
	searchAll(t, d, body)
	require.Equal(t, 1, d.Count())
	require.False(t, d.Exhausted())
	require.Equal(t, "complete: all schedules but for the choice of workers (1)", d.String())

	d = steptest.Bounded(-1).BranchWorkers()
	searchAll(t, d, body)
	require.Equal(t, 2, d.Count())
	require.True(t, d.Exhausted())
}

func TestDFSEndsWhereTasksSpin(t *testing.T) {
	for _, spinners := range []int{1, 2} {
		d := steptest.Bounded(1)
		searchAll(t, d, func(func()) {
			var c cell
			together(append(repeated(spinners, func() {
				for c.load() == 0 {
					lockstep.Yield()
				}
			}), func() {
				lockstep.Yield()
				c.store(1)
			})...)
		})
		t.Log(d)
	}
}
