package steptest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
)

func TestSearchFinds(t *testing.T) {
	r := steptest.Search("transfers", transfers)
	require.True(t, r.Failed)
	require.Equal(t, "deadlock", r.Kind)
	require.Positive(t, r.Schedules)
	require.Greater(t, r.Steps, int64(r.Schedules))
	require.NotEmpty(t, r.Strategy)
	require.Contains(t, r.Text, "circle")
	require.Equal(t, r, steptest.Search("transfers", transfers), "another time")

	again := steptest.Search("transfers", transfers, steptest.Seed(1), steptest.Strategies(steptest.Random()))
	require.Equal(t, "deadlock", again.Kind)
	require.False(t, again.Complete)
}

func TestSearchEnds(t *testing.T) {
	two := func(t *steptest.T) {
		if t.Choose(2) == 1 {
			t.Point("here")
		}
	}
	r := steptest.Search("two", two, steptest.Strategies(steptest.Bounded(-1)))
	require.Equal(t, steptest.Result{Schedules: 3, Steps: r.Steps, Complete: true}, r, "a random one, and the two that there are")

	r = steptest.Search("two", two, steptest.Strategies(steptest.Random()), steptest.Schedules(10))
	require.Equal(t, steptest.Result{Schedules: 10, Steps: r.Steps}, r)

	r = steptest.Search("skips", func(t *steptest.T) { t.Skip("not today") })
	require.Equal(t, steptest.Result{Schedules: 1, Steps: r.Steps}, r)
}

func TestSearchRefuses(t *testing.T) {
	for _, r := range []steptest.Result{
		steptest.Search("none", nil),
		steptest.Search("none", func(*steptest.T) {}, steptest.Schedules(0)),
	} {
		require.True(t, r.Failed)
		require.Equal(t, "options", r.Kind)
		require.Contains(t, r.Text, "steptest: ")
	}
}
