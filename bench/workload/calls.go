package workload

import (
	"runtime"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/bench/rival"
)

// The rows in this file are calls that only lockstep has, made from inside one task. They call lockstep directly:
// at a few nanoseconds a call the rivals' interface would be a part of the result.
var (
	// YieldIfNeeded is the check in a loop that hardly ever has to give way.
	YieldIfNeeded = insideCall("YieldIfNeeded", "YieldIfNeeded, not needed", 50_000_000, func(n int) {
		for range n {
			lockstep.YieldIfNeeded()
		}
	})
	// NeedYield is the question alone.
	NeedYield = insideCall("NeedYield", "NeedYield", 50_000_000, func(n int) {
		for range n {
			if lockstep.NeedYield() {
				lockstep.Yield()
			}
		}
	})
	// DirectCall is what BlockOff is compared with: the same function value, called.
	DirectCall = insideCall("DirectCall", "direct call of a ready-made function value", 50_000_000, func(n int) {
		f := readyMade
		for range n {
			f()
		}
	})
	// BlockOff is BlockInPlace where nothing asked for sections to be moved.
	BlockOff = insideCall("BlockOff", "BlockInPlace, flag off, ready-made function value", 50_000_000, func(n int) {
		f := readyMade
		for range n {
			lockstep.BlockInPlace(f)
		}
	})
	// BlockOffClosure is the same with a closure made for every call, which is how most code will look.
	BlockOffClosure = insideCall("BlockOffClosure", "BlockInPlace, flag off, capturing closure", 10_000_000, func(n int) {
		sum := 0
		for i := range n {
			lockstep.BlockInPlace(func() { sum += i })
		}
		runtime.KeepAlive(sum)
	})
	// BlockOn is a section that leaves the worker, one after the other.
	BlockOn = &Workload{
		Name: "BlockOn", Title: "BlockInPlace, flag on, one by one", Unit: "ns/section",
		Size: 10_000, Quick: 50, Only: onlyLockstep,
		Classes: []rival.Class{{Name: movedClass, Shares: 100, Moved: true}},
		run: func(e *Env, n int) {
			ended := make(chan struct{})
			e.goIn(movedClass, func() {
				defer close(ended)
				f := readyMade
				for range n {
					lockstep.BlockInPlace(f)
				}
				e.count(n)
			})
			<-ended
		},
	}

	calls = []*Workload{YieldIfNeeded, NeedYield, DirectCall, BlockOff, BlockOffClosure, BlockOn}
)

const movedClass = "moved"

var onlyLockstep = []string{rival.LockstepName}

// readyMade is a variable so that no call of it can be inlined: a direct call has to be a call. Only one task at a time
// calls it.
var readyMade = counting()

func counting() func() {
	calls := 0
	return func() { calls++ }
}

// unit replaces the unit of a row.
func (w *Workload) unit(name string) *Workload {
	w.Unit = name
	return w
}

// insideCall is a row that runs loop inside one task of lockstep.
func insideCall(name, title string, size int, loop func(n int)) *Workload {
	return &Workload{
		Name: name, Title: title, Unit: "ns/call", Size: size, Quick: 10_000, Only: onlyLockstep,
		run: func(e *Env, n int) {
			e.in(func() {
				loop(n)
				e.count(n)
			})
		},
	}
}
