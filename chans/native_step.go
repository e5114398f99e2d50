package chans

import (
	"reflect"
	"sync"

	"github.com/lockstep-go/lockstep/internal/racectx"
)

// Stepped tasks do not wait natively: they try, at each step. Two that try never meet in a channel without a buffer, for which one of them
// would have to wait. So who sends there looks for one who receives here, and hands the value to that.
var meetings struct {
	sync.Mutex
	of map[uintptr][]meeting
}

// meeting is a *nativeReceive.
type meeting any

// meets makes r known to those who send on its channel, until leave is called.
func (r *nativeReceive[T]) meets() (leave func()) {
	if r.ch == nil || cap(r.ch) > 0 {
		return func() {}
	}
	at := reflect.ValueOf(r.ch).Pointer()
	meetings.Lock()
	defer meetings.Unlock()
	if meetings.of == nil {
		meetings.of = map[uintptr][]meeting{}
	}
	meetings.of[at] = append(meetings.of[at], r)
	return func() { forget(at, r) }
}

func forget(at uintptr, r meeting) {
	meetings.Lock()
	defer meetings.Unlock()
	var rest []meeting
	for _, x := range meetings.of[at] {
		if x != r {
			rest = append(rest, x)
		}
	}
	if meetings.of[at] = rest; rest == nil {
		delete(meetings.of, at)
	}
}

// handOver is try for a stepped task: to the channel, or to the first who waits for it here.
func (s *nativeSend[T]) handOver() bool {
	if s.try() {
		return true
	}
	if s.ch == nil || cap(s.ch) > 0 {
		return false
	}
	meetings.Lock()
	defer meetings.Unlock()
	for _, x := range meetings.of[reflect.ValueOf(s.ch).Pointer()] {
		if r, ok := x.(*nativeReceive[T]); ok && !r.met {
			r.v, r.ok, r.met = s.v, true, true
			racectx.ReleaseMerge(&r.met) // r's task reads it without the lock
			return true
		}
	}
	return false
}

// takes is try for a stepped task.
func (r *nativeReceive[T]) takes() bool {
	racectx.Acquire(&r.met)
	return r.met || r.try()
}
