package pool

import (
	"fmt"
	"time"

	"github.com/lockstep-go/lockstep/internal/gid"
)

// A label is what the monitor and reports read of a task, from any thread, in one
// word that the worker's thread writes:
//
//	bits  0-31  spawn site with its marks, as in a run queue
//	bits 32-47  number of the task queue
//	bits 48-55  Why it waits, 0 when it runs
//	bit  56     there is a task
type label uint64

// Why says what a task waits for.
type Why uint8

// What tasks wait for.
const (
	WhyRunning Why = iota
	WhyYield
	WhySleep
	WhyTask
	WhyGroup
	WhySection
	WhyCapacity
	WhyInline
	WhyLock
	WhySemaphore
	WhyCond
	WhyWaitGroup
	WhyOnce
	WhySend
	WhyReceive
	WhySelect
	WhyShutdown
	whyEnd
)

var whyTexts = [whyEnd]string{
	"running", "yielding", "sleeping", "waiting for a task", "waiting for a group",
	"in a section on the overflow pool", "waiting for room in the pool", "in a section in place",
	"waiting for a lock", "waiting for a semaphore", "waiting for a condition", "waiting for a WaitGroup", "waiting for a Once",
	"sending on a channel", "receiving from a channel", "in a select",
	"waiting for the end of a pool",
}

// String says it in words.
func (y Why) String() string { return whyTexts[y] }

func labelOf(site uint32, queue int) label { return label(site) | label(queue)<<32 | 1<<56 }

func (l label) with(y Why) label { return l&^(0xff<<48) | label(y)<<48 }
func (l label) site() uint32     { return uint32(l) }
func (l label) queue() int       { return int(l >> 32 & 0xffff) }
func (l label) why() Why         { return Why(l >> 48) }

// labelled publishes that the task runs.
func (co *Coroutine) labelled(l label) {
	co.label.Store(uint64(l))
	co.w.running.Store(uint64(l))
}

// left describes the tasks on the worker that have started and are not finished.
func (w *worker) left() []string {
	now := w.p.now()
	w.allMu.Lock()
	defer w.allMu.Unlock()
	var lines []string
	for _, co := range w.all {
		l := label(co.label.Load())
		if l == 0 {
			continue
		}
		text := fmt.Sprintf("task of queue %q, %s, spawned at %s", w.p.queues[l.queue()].name, l.why(), site(l.site()))
		if from := co.from.Load(); from > 0 {
			text += fmt.Sprintf(", first waited %v ago", time.Duration(now-int64(from)).Round(time.Microsecond))
		}
		lines = append(lines, text)
	}
	return lines
}

// site returns file:line of a spawn site.
func site(s uint32) string {
	f, ok := gid.Frame(s)
	if !ok {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}
