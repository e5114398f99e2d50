package steptest_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
)

var byChance = []string{"random", "urw", "surw", "pct2", "pct3", "pos", "starve", "abreast", "portfolio"}

func parse(t *testing.T, name string) steptest.Strategy {
	t.Helper()
	s, err := steptest.ParseStrategy(name)
	require.NoError(t, err)
	require.Equal(t, name, s.Name())
	return s
}

func kernelOf(t *testing.T, name string) kernel {
	t.Helper()
	i := slices.IndexFunc(kernels, func(k kernel) bool { return k.name == name })
	require.GreaterOrEqual(t, i, 0)
	return kernels[i]
}

func TestStrategiesFindWhatIsEasy(t *testing.T) {
	limits := map[string]int{"random": 60, "urw": 40, "surw": 20, "pct2": 60, "pct3": 40, "pos": 60, "starve": 250, "abreast": 1, "portfolio": 10, "dfs": 10}
	b := newBench()
	defer b.close()
	for name, limit := range limits {
		for _, k := range []string{"lost update 2x1", "AB-BA", "double close"} {
			p, _ := b.first(kernelOf(t, k).body)
			for seed := range uint64(20) {
				require.LessOrEqual(t, b.find(parse(t, name), p, seed, limit, kernelOf(t, k).body), limit, "%s, %s, seed %d", name, k, seed)
			}
		}
	}
}

// TestPortfolio wants the medians of the default, with the schedule from which the estimates are made as the first one, to be no
// more than 1.5 times the best of any strategy by chance in the research that the kernels are from.
func TestPortfolio(t *testing.T) {
	best := map[string]float64{
		"lost update 2x1": 2, "lost update 2x10": 1, "AB-BA": 2, "AB-BA after 20": 4, "philosophers 3": 3, "philosophers 5": 6, "philosophers 8": 13,
		"buffer 2p 1c": 4, "buffer 2p 2c": 2, "reorder 3": 7, "reorder 10": 147, "twostage 10": 152, "bluetooth": 12, "late store": 3,
		"lock and channel": 2, "double close": 2,
	}
	b := newBench()
	defer b.close()
	for _, k := range kernels {
		p, failed := b.first(k.body)
		found := []int{1}
		for seed := uint64(0); !failed && seed < 21; seed++ {
			found = append(found, 1+b.find(steptest.Portfolio(), p, seed, 2000, k.body))
		}
		slices.Sort(found)
		require.LessOrEqual(t, float64(found[len(found)/2]), 1.5*best[k.name], "%s", k.name)
	}
}

func TestStrategiesRepeatThemselves(t *testing.T) {
	b := newBench()
	defer b.close()
	body := kernelOf(t, "philosophers 3").body
	p, _ := b.first(body)
	for _, name := range append([]string{"fair", "dfs:1"}, byChance...) {
		trace := func(index int) []int {
			o := &observed{Strategy: parse(t, name)}
			require.True(t, o.Begin(&steptest.Schedule{Index: index, Rand: rand.New(rand.NewPCG(1, uint64(index))), Program: p}))
			b.run(o, body)
			b.end()
			return o.trace
		}
		differ := false
		for i := range 10 {
			require.Equal(t, trace(i), trace(i), name)
			differ = differ || !slices.Equal(trace(0), trace(i))
		}
		require.Equal(t, slices.Contains(byChance, name), differ, name)
	}
}

func TestPCTBound(t *testing.T) {
	require.InDelta(t, 0.25, steptest.PCTBound(1, 4, 100), 1e-9)
	require.InDelta(t, 1.0/(2*4*100), steptest.PCTBound(2, 4, 100), 1e-9)
	require.InDelta(t, 1.0/(2*6*41*41), steptest.PCTBound(3, 6, 41), 1e-9)
	require.InDelta(t, 1, steptest.PCTBound(3, 0, 0), 0.5)

	b := newBench()
	defer b.close()
	for _, k := range []string{"lost update 2x1", "AB-BA", "late store", "double close"} { // depth 2
		body := kernelOf(t, k).body
		p, _ := b.first(body)
		s, r, found := steptest.PCT(2), rand.New(&b.pcg), 0
		for i := range 1000 {
			b.pcg.Seed(1, uint64(i))
			s.Begin(&steptest.Schedule{Index: i, Rand: r, Program: p})
			if b.run(s, body) {
				found++
			}
			b.end()
		}
		require.GreaterOrEqual(t, float64(found)/1000, steptest.PCTBound(2, p.Tasks, p.Shared), k)
	}
}

func TestPCTLetsSpinnersEnd(t *testing.T) {
	b := newBench()
	defer b.close()
	body := func(func()) {
		var c cell
		await := func(v int) func() {
			return func() {
				for c.load() < v {
					lockstep.Yield()
				}
				c.store(v + 1)
			}
		}
		together(await(2), await(1), await(0))
	}
	s, r := steptest.PCT(3), rand.New(&b.pcg)
	for i := range 200 {
		b.pcg.Seed(1, uint64(i))
		s.Begin(&steptest.Schedule{Index: i, Rand: r, Program: steptest.Program{Tasks: 4, Steps: 30}})
		require.False(t, b.run(s, body), "schedule %d", i)
		b.end()
	}
}

// gaps is a chooser that looks how long tasks that can go on have to wait for their turn.
type gaps struct {
	steptest.Strategy
	waits map[int]int
	worst int
}

func (g *gaps) Next(enabled []*steptest.Task, at int) int {
	k := g.Strategy.Next(enabled, at)
	now := map[int]int{}
	for i, t := range enabled {
		if i != k {
			now[t.ID] = g.waits[t.ID] + 1
			g.worst = max(g.worst, now[t.ID])
		}
	}
	g.waits = now
	return k
}

func TestFairIsFair(t *testing.T) {
	b := newBench()
	defer b.close()
	for _, quantum := range []int{1, 3} {
		for _, n := range []int{2, 5, 10} {
			g := &gaps{Strategy: steptest.Fair(quantum)}
			g.Begin(nil)
			b.run(g, func(func()) { together(repeated(n, func() { work(20) })...) })
			b.end()
			require.LessOrEqual(t, g.worst, quantum*n, "of %d tasks and the first one", n)
			require.GreaterOrEqual(t, g.worst, quantum*(n-1))
		}
	}
}

func TestFairTakesTurns(t *testing.T) {
	f := steptest.Fair(1)
	f.Begin(nil)
	require.Equal(t, []int{0, 1, 2, 0}, []int{f.Decide(pool.ChoiceCase, 3), f.Decide(pool.ChoiceCase, 3), f.Decide(pool.ChoiceCase, 3), f.Decide(pool.ChoiceCase, 3)})
	require.Equal(t, 0, f.Decide(pool.ChoiceUser, 3))
}

func TestStarvingFindsWhatTakesPatience(t *testing.T) {
	b := newBench()
	defer b.close()
	body := lateStore(200)
	p, _ := b.first(body)
	for seed := range uint64(10) {
		require.LessOrEqual(t, b.find(steptest.Starving(), p, seed, 200, body), 200)
	}
}

func TestStrategiesByName(t *testing.T) {
	for _, name := range append([]string{"dfs", "dfs:2", "fair", "fair:3"}, byChance...) {
		parse(t, name)
	}
	s, err := steptest.ParseStrategy("pct:5")
	require.NoError(t, err)
	require.Equal(t, "pct5", s.Name())
	for name, text := range map[string]string{
		"":        `steptest: there is no strategy "": there are portfolio, urw, surw, pct:DEPTH, pct2, pct3, pos, abreast, random, starve, dfs, dfs:PREEMPTIONS, fair and fair:STEPS`,
		"urv":     `steptest: there is no strategy "urv": there are portfolio, urw, surw, pct:DEPTH, pct2, pct3, pos, abreast, random, starve, dfs, dfs:PREEMPTIONS, fair and fair:STEPS`,
		"urw:2":   `steptest: there is no strategy "urw:2": there are portfolio, urw, surw, pct:DEPTH, pct2, pct3, pos, abreast, random, starve, dfs, dfs:PREEMPTIONS, fair and fair:STEPS`,
		"dfs:two": `steptest: strategy "dfs:two": preemptions must be a number, and at least 0`,
		"fair:0":  `steptest: strategy "fair:0": steps must be a number, and at least 1`,
	} {
		_, err := steptest.ParseStrategy(name)
		require.EqualError(t, err, text)
	}
	all, err := steptest.StrategiesByName("urw, dfs:1,pct2")
	require.NoError(t, err)
	require.Len(t, all, 3)
	_, err = steptest.StrategiesByName("urw,")
	require.Error(t, err)
}
