package queue_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestSchedAgainstModel compares the two under thousands of random histories.
func TestSchedAgainstModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := newMachine(r, func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(r, what) })
		r.Repeat(map[string]func(*rapid.T){
			"step": func(*rapid.T) { k.step() },
			"many": func(*rapid.T) {
				for range 20 {
					k.step()
					k.compare()
				}
			},
			"": func(*rapid.T) { k.compare() },
		})
	})
}

// FuzzSched plays the same game as TestSchedAgainstModel. The bytes are the choices, in the
// order in which machine asks for them: one byte, or two where there are more than
// 256 possibilities.
func FuzzSched(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(make([]byte, 300))
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 100+200*seed)
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		next := func() (c int) {
			if len(choices) > 0 {
				c, choices = int(choices[0]), choices[1:]
			}
			return c
		}
		k := newMachine(t, func(n int, _ string) int {
			c := next()
			if n > 256 {
				c = c<<8 | next()
			}
			return c % n
		})
		for steps := 0; len(choices) > 0 && steps < 2000; steps++ {
			k.step()
			k.compare()
		}
	})
}
