package steptest_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
	"github.com/lockstep-go/lockstep/steptest"
)

// TestSpinnersDoNotStarveWhoYields: two tasks spin until a third, which has yielded too, has stored something.
func TestSpinnersDoNotStarveWhoYields(t *testing.T) {
	b := newBench()
	defer b.close()
	body := func(func()) {
		var c cell
		spin := func() {
			for c.load() == 0 {
				lockstep.Yield()
			}
		}
		together(func() {
			lockstep.Yield()
			c.store(1)
		}, spin, spin)
	}
	p, failed := b.first(body)
	require.False(t, failed)
	for _, name := range append([]string{"fair", "dfs:1"}, byChance...) {
		s, r := parse(t, name), rand.New(&b.pcg)
		for i := range 100 {
			b.pcg.Seed(1, uint64(i))
			s.Begin(&steptest.Schedule{Index: i, Rand: r, Program: p})
			require.False(t, b.run(s, body), "%s, schedule %d: %d steps", name, i, b.d.Steps())
			b.end()
			s.End()
		}
	}
}

// TestSpinnersWithoutYieldsEnd: a task spins until another one, of lower priority for whatever reason, has stored something.
func TestSpinnersWithoutYieldsEnd(t *testing.T) {
	b := newBench()
	defer b.close()
	for _, point := range []pool.Op{pool.OpPoint, pool.OpRead} { // a step that counts nowhere, and one that does
		body := func(func()) {
			var c cell
			spin := func() {
				for c.v == 0 {
					pool.Point(point, &c)
				}
				c.load()
			}
			together(spin, spin, func() { c.store(1) })
		}
		p, failed := b.first(body)
		require.False(t, failed)
		for _, name := range append([]string{"fair", "dfs:1"}, byChance...) {
			s, r := parse(t, name), rand.New(&b.pcg)
			for i := range 50 {
				b.pcg.Seed(1, uint64(i))
				s.Begin(&steptest.Schedule{Index: i, Rand: r, Program: p})
				require.False(t, b.run(s, body), "%s, schedule %d: %d steps", name, i, b.d.Steps())
				b.end()
				s.End()
			}
		}
	}
}

// TestYieldFreesTheWorker: with one worker, who yields lets others go on there.
func TestYieldFreesTheWorker(t *testing.T) {
	b := newBench()
	defer b.close()
	b.d.Workers, b.d.Strict = 1, true
	for _, swap := range []bool{false, true} {
		require.False(t, b.run(fairly(), func(func()) {
			var c cell
			both := []func(){
				func() {
					for c.load() == 0 {
						lockstep.Yield()
					}
				},
				func() { c.store(1) },
			}
			if swap {
				slices.Reverse(both)
			}
			together(both...)
		}), "%d steps", b.d.Steps())
		b.end()
	}
}

// TestWorkersRunOneTaskAtATime: with one worker, who has yielded goes on only when the other one yields, waits or ends.
func TestWorkersRunOneTaskAtATime(t *testing.T) {
	b := newBench()
	defer b.close()
	b.d.Workers, b.d.Strict = 1, true
	s, r := steptest.Random(), rand.New(&b.pcg)
	for i := range 200 {
		b.pcg.Seed(1, uint64(i))
		s.Begin(&steptest.Schedule{Index: i, Rand: r})
		inside := 0
		body := func(bad func()) {
			part := func() {
				for range 3 {
					lockstep.Yield()
					if inside++; inside > 1 {
						bad()
					}
					work(2)
					inside--
				}
			}
			together(part, part, part)
		}
		require.False(t, b.run(s, body), "schedule %d", i)
		b.end()
	}
}

// TestTimePassesWhereTasksSpin: a task that spins until a timer has fired does not stop the clock.
func TestTimePassesWhereTasksSpin(t *testing.T) {
	b := newBench()
	defer b.close()
	require.False(t, b.run(fairly(), func(func()) {
		var c cell
		lockstep.AfterFunc(time.Second, func() { c.store(1) })
		for c.load() == 0 {
			lockstep.Yield()
		}
	}), "%d steps", b.d.Steps())
	b.end()
}

func fairly() steptest.Strategy {
	s := steptest.Fair(1)
	s.Begin(nil)
	return s
}
