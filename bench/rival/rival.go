// Package rival puts lockstep and everything that could be used instead of it behind one small interface.
//
// The interface is as small as it is so that every rival can be used in its own best idiom: it says what has to
// happen and leaves the way to the rival. What a rival cannot do is a capability, not an error at run time, so that
// a table can leave a cell empty and say why.
package rival

import "time"

// Pool is one running rival.
type Pool interface {
	// Go has f run once, some time later. It may be called from outside and from inside a task.
	Go(f func())
	// Yield is called by a task that wants others to run first.
	Yield()
	// NewLatch returns what a task of this rival waits on. A goroutine may simply block, so for most rivals it is a
	// sync.WaitGroup; a task of a pool of threads has to give way instead.
	NewLatch() Latch
	// NewLine returns the channel that tasks of this rival use.
	NewLine(capacity int) Line
	// Close ends the pool. Every task has finished by then.
	Close()
}

// Latch is the part of sync.WaitGroup that the workloads need.
type Latch interface {
	Add(n int)
	Done()
	Wait()
}

// Waiter is implemented by a rival that counts its own tasks. The workloads then leave out their own counting,
// because charging such a rival for both would be unfair.
type Waiter interface {
	// Wait returns when every task given to Go has finished.
	Wait()
}

// Caller is implemented by a rival with an idiom of its own for "run f and wait for it" inside a task: a handle or a
// future, as opposed to a latch that the caller brings along.
type Caller interface {
	// Call runs f as a task of its own and returns when it has finished.
	Call(f func())
}

// Repeater is implemented by a rival whose Go wants another kind of function: it converts f once for n tasks.
type Repeater interface {
	// GoN is n times Go.
	GoN(f func(), n int)
}

// Polite is implemented by a rival that can tell a task whether to yield.
type Polite interface {
	// YieldIfNeeded is Yield where that is due.
	YieldIfNeeded()
}

// Classed is implemented by a rival that knows classes of work.
type Classed interface {
	// GoIn is Go in the named class.
	GoIn(class string, f func())
}

// Class is a class of work that a workload wants to exist in rivals that know such a thing.
type Class struct {
	Name   string
	Shares int
	// Latency, if not zero, is how soon a task of this class should start.
	Latency time.Duration
	// Moved asks for blocking sections of this class to leave the worker.
	Moved bool
}

// Config is what a workload asks of a rival when it starts.
type Config struct {
	// Workers is the number of workers of rivals that have a fixed number.
	Workers int
	// InProgress is how many tasks must be able to be started and unfinished at the same time. Rivals that tie a
	// goroutine to a started task raise their limit to it; without that, tasks that wait for each other would never
	// end and tasks that yield would have nobody to yield to.
	InProgress int
	// Classes are the classes of work the workload uses.
	Classes []Class
}

// limit is the number of goroutines a bounded rival needs for this configuration.
func (c Config) limit() int { return max(c.Workers, c.InProgress, 1) }

// Kind tells what a rival is, because the ratios are taken against the go statement and against the fastest pool.
type Kind int

const (
	// Statement is the go statement itself.
	Statement Kind = iota
	// Rival is a pool that competes with lockstep.
	Rival
	// Lockstep is lockstep as New makes it.
	Lockstep
	// Variant is lockstep used in another way, measured only where the difference is the question.
	Variant
	// External is a rival that is not written in Go, measured by another program.
	External
)

// Entry describes one rival and starts it.
type Entry struct {
	Name string
	Kind Kind
	// NeverBlocks says that Go returns at once however many tasks wait. Where it does not, a task that spawns can
	// deadlock the pool, and nothing can be queued, so trees and queued memory are left out.
	NeverBlocks bool
	// GoroutineEach says that every task that waits is a parked goroutine.
	GoroutineEach bool
	// Startless says that there is nothing to start or to close.
	Startless bool
	// Calls says that the running pool is a Caller.
	Calls bool
	// Module is the path of the module the rival comes from, for the versions in a report's heading.
	Module string
	// Note says in which idiom the rival is used, and why in that one.
	Note  string
	Start func(Config) (Pool, error)
}

// All returns every rival in the order of the table's columns: the statement first, lockstep last.
func All() []Entry {
	return []Entry{
		statementEntry,
		errgroupEntry, errgroupLimitEntry,
		antsEntry, antsFixedEntry,
		pondEntry, pondUnlimitedEntry,
		concEntry, concPoolEntry,
		workerpoolEntry,
		gopoolEntry, gopoolUnlimitedEntry,
		lockstepEntry, lockstepQueueEntry, lockstepFloatingEntry, lockstepSpareEntry,
	}
}
