package steptest

import (
	"math/rand/v2"

	"github.com/lockstep-go/lockstep/pool"
)

// Task is a task of a run, as strategies see it: what it does next (Op) and with what (Obj), where it was spawned, and its Path, which is
// the same for its counterpart in other schedules. The passing of time, where that can be chosen, is one too, with ID -1 and OpClock.
type Task = pool.Step

// Op is what a task does next.
type Op = pool.Op

// Choice is what is decided besides which task goes on.
type Choice = pool.Choice

// Strategy decides in what order the tasks of a run go on. It is used by one run at a time.
//
// Given the same Schedule and the same tasks it must decide the same: its only source of chance is Schedule.Rand.
type Strategy interface {
	// Name is how flags and reports call it.
	Name() string
	// Begin is called before each schedule. It returns false if the strategy has none left: it has tried all.
	Begin(s *Schedule) bool
	// Next returns the index of the task that goes on. enabled holds those that can, in the order of their IDs, the
	// passing of time last; at is the index of the one that ran last, -1 if that can't go on. It is called at every step, also if
	// there is only one.
	Next(enabled []*Task, at int) int
	// Decide returns one of 0 to n-1, n > 1.
	Decide(what Choice, n int) int
	// End is called after each schedule.
	End()
}

// Schedule is what a strategy knows of the schedule that begins.
type Schedule struct {
	// Index is its number among those of the strategy, from 0.
	Index int
	// Rand is seeded for it.
	Rand *rand.Rand
	// Program is what one earlier run, always the same, has seen.
	Program Program
}

// Program is what is known of the program before a schedule begins: estimates, since other schedules may differ.
type Program struct {
	Tasks  int            // tasks, the first one included
	Steps  int            // steps in all
	Events map[uint64]int // steps of a task, by its Path
	Under  map[uint64]int // steps of a task and of all that it has spawned, and they have, by its Path

	Shared      int            // steps in all that take, look at or change something that tasks share
	SharedUnder map[uint64]int // such steps of a task and of all under it, by its Path
	Points      int            // points with a label in all
	PointsUnder map[uint64]int // and of a task and of all under it, by its Path
}
