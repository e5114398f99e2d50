package pool

import (
	"sync"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/internal/gid"
)

// Current returns the coroutine that the calling goroutine is, with the
// task on it, or nil outside a task.
//
// # Protocol
//
// The table maps the identity of a goroutine (package gid) to its coroutine. It
// is an open-addressed hash table with linear probing; an empty key ends a
// probe, a removed key (tombstone) does not. Readers take no lock.
//
//   - Only the coroutine itself inserts and removes its entry, under mu. So the entry
//     that a reader looks for cannot change while it looks: it is its own.
//   - A value is written before its key, and a key only from empty to an identity, to
//     tombstone. Other goroutines' entries may come and go under the reader; it compares
//     keys only, and none of them becomes equal to its own.
//   - A full table is copied under mu to a new one, which is then published. A
//     reader that still holds the old one finds its own entry there: entries are
//     never removed from an old table except by their owner, who is the reader.
//     A reader inserted after the copy loads the new table: its insertion, by the
//     same goroutine, came after the publication, under mu.
//   - The record of an ended goroutine is used again by the runtime. A coroutine
//     removes its entry in its outermost deferred call.
func Current() *Coroutine {
	g := gid.Get()
	t := currents.table.Load()
	i := hash(g, t.shift)
	if e := t.at(i); e.g.Load() == g {
		return e.co
	}
	return t.find(g, i+1)
}

func (t *currentTable) at(i uintptr) *currentEntry { return &t.entries[i&uintptr(len(t.entries)-1)] }

// find goes on with the search from i.
func (t *currentTable) find(g, i uintptr) *Coroutine {
	for ; ; i++ {
		e := t.at(i)
		switch e.g.Load() {
		case g:
			return e.co
		case 0:
			return nil
		}
	}
}

const tombstone = 1 // no goroutine has this identity

type currentEntry struct {
	g  atomic.Uintptr
	co *Coroutine
}

type currentTable struct {
	shift   uint32
	entries []currentEntry // a power of two
}

var currents struct {
	table      atomic.Pointer[currentTable]
	mu         sync.Mutex
	live, used int // entries with a goroutine; those and tombstones
}

func init() { currents.table.Store(newCurrentTable(6)) }

func newCurrentTable(bits uint32) *currentTable {
	return &currentTable{shift: 64 - bits, entries: make([]currentEntry, 1<<bits)}
}

// hash spreads addresses by Fibonacci hashing (Knuth, volume 3, 6.4).
func hash(g uintptr, shift uint32) uintptr {
	return uintptr(uint64(g) * 0x9E3779B97F4A7C15 >> (shift & 63))
}

// enter makes co the calling goroutine's coroutine.
func (co *Coroutine) enter() {
	co.g = gid.Get()
	if co.g == 0 {
		return
	}
	currents.mu.Lock()
	defer currents.mu.Unlock()
	t := currents.table.Load()
	if 2*(currents.used+1) > len(t.entries) {
		t = growCurrents(t)
	}
	t.insert(co.g, co)
	currents.live++
	currents.used++
}

// leave forgets it.
func (co *Coroutine) leave() {
	if co.g == 0 {
		return
	}
	currents.mu.Lock()
	defer currents.mu.Unlock()
	t := currents.table.Load()
	for i := hash(co.g, t.shift); ; i++ {
		if e := t.at(i); e.g.Load() == co.g {
			e.clear()
			e.g.Store(tombstone)
			break
		}
	}
	currents.live--
}

// clear is called by the owner of the entry, and nobody else looks at its co. It is not looked at by the race detector, for which a stepped task's goroutine
// is now the owner and now the stepper.
//
//go:norace
func (e *currentEntry) clear() { e.co = nil }

// growCurrents publishes a table that is at most a quarter full.
func growCurrents(old *currentTable) *currentTable {
	bits := uint32(6)
	for 1<<bits < 4*(currents.live+1) {
		bits++
	}
	t := newCurrentTable(bits)
	for i := range old.entries {
		if e := &old.entries[i]; e.g.Load() > tombstone {
			t.insert(e.g.Load(), e.co)
		}
	}
	currents.used = currents.live
	currents.table.Store(t)
	return t
}

func (t *currentTable) insert(g uintptr, co *Coroutine) {
	for i := hash(g, t.shift); ; i++ {
		if e := t.at(i); e.g.Load() == 0 {
			e.co = co
			e.g.Store(g)
			return
		}
	}
}
