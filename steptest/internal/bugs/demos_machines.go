package bugs

import (
	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// failureDetector asks two nodes whether they are alive, twice, for as long as a timer lets it, and takes those for dead that have not answered. Both are
// alive, but may be slow: the timer has to win twice against one of them. Mended, only who has gone is taken for dead.
func failureDetector(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		const nodes, attempts = 2, 2
		var asked [nodes]*chans.Chan[struct{}]
		answers := chans.Unbounded[int]()
		gone := [nodes]bool{}
		for i := range nodes {
			asked[i] = chans.New[struct{}](attempts)
			lockstep.Go(func() {
				for range asked[i].All(bg) {
					_ = answers.Put(i)
				}
			})
		}
		alive := [nodes]bool{}
		missing := nodes
		for range attempts {
			for i := range nodes {
				if !alive[i] {
					_ = asked[i].Put(struct{}{})
				}
			}
			timeout := chans.New[struct{}](1)
			lockstep.Go(func() {
				work(t, 10)
				_ = timeout.Put(struct{}{})
			})
			for late := false; missing > 0 && !late; {
				sel(
					chans.Recv(answers, func(i int, _ bool) {
						if !alive[i] {
							alive[i] = true
							missing--
						}
					}),
					chans.Recv(timeout, func(struct{}, bool) { late = true }),
				)
			}
		}
		for i := range nodes {
			asked[i].Close()
			if !alive[i] && (!fixed || gone[i]) {
				t.Errorf("node %d is taken for dead", i)
			}
		}
	}
}

// coffeeMachine is stopped at any time and started again. If that happens while it heats the last of the water, it has the heater on with an empty
// tank: it finds the tank empty when it starts, and sees no reason to look at the heater. Mended, it switches everything off first.
func coffeeMachine(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var heater, stop cell[bool]
		var water cell[int]
		water.v = 1 + t.Choose(4)
		run := func() {
			if fixed {
				heater.store(false)
			}
			for range 2 {
				if water.load() == 0 {
					return
				}
				for range 10 { // grinds
					if stop.load() {
						return
					}
					t.Point("grinds")
				}
				heater.store(true)
				add(&water, -1)
				if stop.load() {
					return
				}
				heater.store(false)
				for range 10 { // brews
					if stop.load() {
						return
					}
					t.Point("brews")
				}
			}
		}
		var machine tasksync.WaitGroup
		machine.Go(run)
		stop.store(true)
		machine.Wait()
		stop.store(false)
		run()
		if heater.v && water.v == 0 {
			t.Error("the heater is on and the tank is empty")
		}
	}
}
