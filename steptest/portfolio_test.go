package steptest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
)

type ofOthers interface{ Current() steptest.Strategy }

func TestPortfolioDependsOnTheNumberAlone(t *testing.T) {
	b := newBench()
	defer b.close()
	body := func(func()) { together(repeated(4, func() { work(5) })...) }
	p, _ := b.first(body)
	trace := func(s steptest.Strategy, i int) []int {
		o := &observed{Strategy: s}
		require.True(t, o.Begin(&steptest.Schedule{Index: i, Rand: rand.New(rand.NewPCG(3, uint64(i))), Program: p}))
		b.run(o, body)
		b.end()
		o.End()
		return o.trace
	}
	one, used := steptest.Portfolio(), map[string]int{}
	for i := range 400 {
		got := trace(one, i)
		name := one.(ofOthers).Current().Name()
		if name != "dfs" {
			require.Equal(t, got, trace(steptest.Portfolio(), i))
		}
		used[name]++
	}
	require.Equal(t, 25+12, used["dfs"])
	rest := 400 - used["dfs"]
	for name, share := range map[string]float64{"surw": .4, "urw": .05, "pct2": .1, "pct3": .2, "pos": .1, "random": .05, "starve": .05, "abreast": .05} {
		require.InDelta(t, share*float64(rest), used[name], 3, name)
	}
}

func TestPortfolioEndsWhenAllIsTried(t *testing.T) {
	b := newBench()
	defer b.close()
	body := func(func()) { work(3) }
	p, _ := b.first(body)
	s := steptest.Portfolio()
	require.Equal(t, 101, b.find(s, p, 1, 100, body), "nothing is wrong")
	require.Equal(t, "complete: all schedules (1)", s.(interface{ String() string }).String())
}
