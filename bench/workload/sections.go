package workload

import (
	"fmt"
	"runtime"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/bench/rival"
)

// The rows in this file are what users of tokio measured block_in_place with: 256 tasks, each of which makes an empty
// map and looks it up 1, 1,000 or 10,000 times. "Plain" does so in the task itself. "Off" and "Block" have it in a
// section of lockstep's, without and with the flag that moves it to another thread; in Block, the go statement takes
// part as what a Go program does about a call that blocks, which is nothing.
var (
	Sections1Plain     = sectionRow(1, "Plain", "")
	Sections1Off       = sectionRow(1, "Off", ", BlockInPlace, flag off")
	Sections1Block     = sectionRow(1, "Block", ", in a blocking section")
	Sections1000Plain  = sectionRow(1_000, "Plain", "")
	Sections1000Off    = sectionRow(1_000, "Off", ", BlockInPlace, flag off")
	Sections1000Block  = sectionRow(1_000, "Block", ", in a blocking section")
	Sections10000Plain = sectionRow(10_000, "Plain", "")
	Sections10000Off   = sectionRow(10_000, "Off", ", BlockInPlace, flag off")
	Sections10000Block = sectionRow(10_000, "Block", ", in a blocking section")

	sections = []*Workload{
		Sections1Plain, Sections1Off, Sections1Block,
		Sections1000Plain, Sections1000Off, Sections1000Block,
		Sections10000Plain, Sections10000Off, Sections10000Block,
	}
)

func sectionRow(lookUps int, how, words string) *Workload {
	w := &Workload{
		Name:  fmt.Sprintf("Sections%d%s", lookUps, how),
		Title: fmt.Sprintf("256 tasks, %d look-ups each%s", lookUps, words),
		Unit:  "ns/section", Size: sectionBatches(lookUps, how), Quick: 2, Ops: batch,
	}
	switch how {
	case "Off":
		w.Only = onlyLockstep
	case "Block":
		w.Only = []string{"go", rival.LockstepName}
		w.Classes = []rival.Class{{Name: movedClass, Shares: 100, Moved: true}}
	}
	work := func() { lookUp(lookUps) }
	section := func() { lockstep.BlockInPlace(work) }
	w.run = func(e *Env, n int) {
		inner := work
		if how != "Plain" && e.Entry.Kind == rival.Lockstep {
			inner = section
		}
		for range n {
			sectionBatch(e, inner, how == "Block")
		}
	}
	return w
}

// sectionBatch submits a batch of tasks that call inner, and waits for them.
func sectionBatch(e *Env, inner func(), moved bool) {
	done, wait := e.tracked(batch)
	task := func() {
		inner()
		e.count(1)
		if done != nil {
			done()
		}
	}
	if moved {
		for range batch {
			e.goIn(movedClass, task)
		}
	} else {
		submit(e, task, batch)
	}
	wait()
}

// sectionBatches makes a round last about a tenth of a second.
func sectionBatches(lookUps int, how string) int {
	switch {
	case how == "Block":
		return 40
	case lookUps == 1:
		return 1_000
	case lookUps == 1_000:
		return 200
	}
	return 30
}

// lookUp is the work of a section. An empty map answers before it hashes, in Go and in Rust.
func lookUp(times int) {
	m := make(map[int]int)
	found := 0
	for i := range times {
		found += m[i]
	}
	runtime.KeepAlive(m)
	runtime.KeepAlive(found)
}
