package pool

import "github.com/lockstep-go/lockstep/internal/stepping"

// Stepping reports whether there is a stepper in the process. What synchronises tasks asks it first, and calls
// [Point] only then: the reading is a plain load of a word that nobody writes.
func Stepping() bool { return stepping.Bar.Load() != 0 }

// Point says that the calling task is about to do op with obj, a pointer that tells the thing from others. If the task is
// stepped, another one may go on instead, and Point returns when it is this one's turn. Elsewhere it does nothing.
func Point(op Op, obj any) {
	if co := Current(); co != nil && co.w.stepper != nil {
		if raceEnabled && co.w.stepper.outside() {
			r := co.w.stepper.Enter()
			Point(op, obj)
			r.Leave()
			return
		}
		co.w.stepper.point(co.step, op, obj)
	}
}

// Note says that the calling task has done op with obj, where that decides who waits for whom: it has, or no longer has, a lock.
func Note(op Op, obj any) {
	if co := Current(); co != nil && co.w.stepper != nil {
		if raceEnabled && co.w.stepper.outside() {
			r := co.w.stepper.Enter()
			Note(op, obj)
			r.Leave()
			return
		}
		co.w.stepper.note(co.step, op, obj)
	}
}

// Decide returns one of 0 to n-1, which a stepped task has its stepper decide; elsewhere it is -1.
func Decide(what Choice, n int) int {
	if co := Current(); co != nil && co.w.stepper != nil {
		if raceEnabled && co.w.stepper.outside() {
			r := co.w.stepper.Enter()
			k := Decide(what, n)
			r.Leave()
			return k
		}
		return co.w.stepper.decide(what, n)
	}
	return -1
}

// Op is what a stepped task does next.
type Op uint8

// What tasks do. Those up to OpWrite are about an object, and two of them at the same object may depend on
// one another; OpRead and others like it only with those that change something.
const (
	OpNone Op = iota
	OpStart
	OpPoint
	OpYield
	OpNeed
	OpSpawn
	OpEnd
	OpLock
	OpTryLock
	OpUnlock
	OpRLock
	OpRUnlock
	OpAcquire
	OpRelease
	OpCondWait
	OpSignal
	OpBroadcast
	OpAdd
	OpWait
	OpOnce
	OpSend
	OpReceive
	OpClose
	OpSelect
	OpSleep
	OpTimer
	OpCancel
	OpTask
	OpGroup
	OpRoom
	OpBlock
	OpUnblock
	OpRead
	OpWrite
	OpUpdate
	OpShutdown
	OpClock
	opEnd
)

var opTexts = [opEnd]string{
	"", "start", "point", "yield", "need yield?", "spawn", "end",
	"lock", "try lock", "unlock", "read lock", "read unlock", "acquire", "release",
	"wait for the condition", "signal", "broadcast", "add", "wait for the group", "once",
	"send", "receive", "close", "select", "sleep", "timer", "cancel", "wait for a task", "group", "wait for room",
	"begin a blocking section", "end a blocking section", "read", "write", "update", "shut down", "time passes",
}

// String says it in words.
func (o Op) String() string { return opTexts[o] }

// Reads reports whether the operation changes nothing.
func (o Op) Reads() bool { return o == OpRead }

// Choice is what is decided besides which task goes on.
type Choice uint8

// What is decided. ChoiceTask is which task goes on.
const (
	ChoiceTask   Choice = iota
	ChoiceWorker        // that takes an unstarted task
	ChoiceCase          // of a select
	ChoiceNeed          // whether to yield now
	ChoiceTimer         // of several that are due at the same time
	ChoiceUser          // by the test itself
)

var choiceTexts = [...]string{"task", "worker", "case", "need yield", "timer", "choice"}

// String names it.
func (c Choice) String() string { return choiceTexts[c] }
