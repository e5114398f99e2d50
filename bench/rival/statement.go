package rival

import (
	"runtime"
	"sync"
)

var statementEntry = Entry{
	Name:          "go",
	Kind:          Statement,
	NeverBlocks:   true,
	GoroutineEach: true,
	Calls:         true,
	Startless:     true,
	Note:          "the `go` statement with a sync.WaitGroup; a yield is runtime.Gosched",
	Start:         func(Config) (Pool, error) { return statement{}, nil },
}

// goroutines is what every rival shares whose tasks are goroutines: such a task yields through Go's own scheduler
// and may simply block.
type goroutines struct{}

func (goroutines) Yield()          { runtime.Gosched() }
func (goroutines) NewLatch() Latch { return new(sync.WaitGroup) }

func (goroutines) NewLine(capacity int) Line { return make(nativeLine, capacity) }

type statement struct{ goroutines }

func (statement) Go(f func()) { go f() }
func (statement) Close()      {}

// GoIn ignores the class, because the go statement has none: beside the rivals that do, that is the comparison.
func (statement) GoIn(_ string, f func()) { go f() }

// Call is the usual way to wait for one goroutine.
func (statement) Call(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Wait()
}
