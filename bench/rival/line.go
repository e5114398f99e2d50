package rival

import (
	"fmt"

	"github.com/lockstep-go/lockstep/chans"
)

// Line is a channel as the tasks of a rival use it: Go's own where tasks are goroutines, and one that parks the task
// instead of its thread where they are not. An ordinary goroutine may hold the other end.
type Line interface {
	Put(v int)
	// Get returns false when the line is closed and empty.
	Get() (v int, ok bool)
	Close()
}

// nativeLine is Go's channel.
type nativeLine chan int

func (l nativeLine) Put(v int) { l <- v }
func (l nativeLine) Close()    { close(l) }

func (l nativeLine) Get() (int, bool) {
	v, ok := <-l
	return v, ok
}

// taskLine is lockstep's.
type taskLine struct{ *chans.Chan[int] }

func (l taskLine) Put(v int) {
	if err := l.Chan.Put(v); err != nil {
		panic(fmt.Sprintf("lockstep's channel refused a value: %v", err))
	}
}
