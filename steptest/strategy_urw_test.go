package steptest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
)

// spread runs body so many times and returns how often each outcome came, and the chi-square of these if all should be equally probable.
func spread(s steptest.Strategy, times, outcomes int, body func(), outcome func(trace []int) string) (counts map[string]int, chi float64) {
	b := newBench()
	defer b.close()
	program := func(func()) { body() }
	p, _ := b.first(program)
	counts = map[string]int{}
	r := rand.New(&b.pcg)
	for i := range times {
		b.pcg.Seed(7, uint64(i))
		o := &observed{Strategy: s}
		s.Begin(&steptest.Schedule{Index: i, Rand: r, Program: p})
		b.run(o, program)
		b.end()
		counts[outcome(o.trace)]++
	}
	expected := float64(times) / float64(outcomes)
	for _, n := range counts {
		chi += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return counts, chi
}

func withoutDecisions(trace []int) string {
	var ids []int
	for _, id := range trace {
		if id < 1000 {
			ids = append(ids, id)
		}
	}
	return fmt.Sprint(ids)
}

func TestURWIsUniform(t *testing.T) {
	body := func() { pair(3, 2)(nil) }
	counts, chi := spread(steptest.URW(), 7000, 70, body, withoutDecisions) // 4 steps of the one among 4 of the other and its spawn: (8 choose 4)
	require.Len(t, counts, 70)
	require.Less(t, chi, 112.0, "with 69 degrees of freedom it is below that in 999 of 1000 cases")

	_, chi = spread(steptest.Random(), 2000, 70, body, withoutDecisions)
	require.Greater(t, chi, 500.0, "and a naive walk is far from it")
}

func TestSURWIsUniformInWhatIsShared(t *testing.T) {
	var trace []string
	body := func() {
		var c cell
		trace = nil
		three := func(name string, before int) func() {
			return func() {
				for range 3 {
					work(before)
					c.store(1)
					trace = append(trace, name)
				}
			}
		}
		lockstep.Go(three("a", 0))
		lockstep.Go(three("b", 9))
	}
	outcome := func([]int) string { return fmt.Sprint(trace) }
	counts, chi := spread(steptest.SURW(), 4000, 20, body, outcome) // (6 choose 3)
	require.Len(t, counts, 20)
	require.Less(t, chi, 44.0, "with 19 degrees of freedom it is below that in 999 of 1000 cases")

	_, chi = spread(steptest.URW(), 1000, 20, body, outcome)
	require.Greater(t, chi, 300.0, "if all steps count, the private ones distort it")
}
