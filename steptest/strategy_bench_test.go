package steptest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
)

// BenchmarkNext is one step of a schedule of 30, among three tasks, with its share of the beginning.
func BenchmarkNext(b *testing.B) {
	for _, name := range append([]string{"fair", "dfs:1"}, byChance...) {
		b.Run(name, func(b *testing.B) {
			s, err := steptest.ParseStrategy(name)
			if err != nil {
				b.Fatal(err)
			}
			var x, y int
			tasks := []*steptest.Task{
				{ID: 0, Parent: -1, Path: 1, Op: pool.OpLock, Obj: &x},
				{ID: 1, Path: 2, Op: pool.OpWrite, Obj: &y},
				{ID: 2, Path: 3, Op: pool.OpUnlock, Obj: &x},
			}
			p := steptest.Program{
				Tasks: 3, Steps: 30, Under: map[uint64]int{1: 30, 2: 10, 3: 10},
				Shared: 20, SharedUnder: map[uint64]int{1: 20, 2: 7, 3: 7},
			}
			sc := &steptest.Schedule{Rand: rand.New(rand.NewPCG(1, 2)), Program: p}
			b.ReportAllocs()
			at, n := -1, 0
			for b.Loop() {
				if n%30 == 0 {
					for _, t := range tasks {
						t.Steps = 0
					}
					sc.Index, at = n/30, -1
					if !s.Begin(sc) {
						s, _ = steptest.ParseStrategy(name)
						s.Begin(sc)
					}
				}
				n++
				at = s.Next(tasks, at)
				tasks[at].Steps++
				if n%30 == 0 {
					s.End()
				}
			}
		})
	}
}
