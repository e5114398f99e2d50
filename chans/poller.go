package chans

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/lockstep-go/lockstep/pool"
)

// A poller is a goroutine that waits for native channels on behalf of tasks. Those of a pool are a
// group; a group belongs to a pool because what a pool in a synctest bubble waits for must be
// waited for inside the bubble.
//
// # Protocol
//
// The operations that a poller watches are in its own list, which nobody else touches. It gets
// them through added, and is asked to give one up through dropped; both under the group's lock, with a
// token in kick afterwards, which ends whatever the poller waits in. It empties both before it waits.
//
// An operation is finished by its poller alone, once: done by the channel, or dropped. That is what
// makes the end of a context safe: what has been received is never thrown away. A task
// whose wait ends early asks the poller to drop the operation and waits, briefly, for the answer, which may
// be that it was done. The poller sets finished under the lock and then ends the task's wait;
// if that had ended, it wakes the one who waits for the answer, whom the task had left under the same lock or
// will not leave, since it sees finished.
type poller struct {
	g     *group
	kick  chan struct{} // one token
	list  []native
	cases []reflect.SelectCase

	// Under the group's lock.
	added   []native
	dropped []*watch
	load    int
	rest    uint64 // the round in which load became 0
	retired bool
}

// watch is what the operations have in common.
type watch struct {
	x      pool.Waiter
	poller *poller
	op     native

	// Under the group's lock.
	finished bool
	done     bool         // by the channel
	answer   *pool.Waiter // of a task that has asked to drop it
}

func (w *watch) shared() *watch { return w }

type group struct {
	mu      sync.Mutex
	pool    *pool.Pool
	pollers []*poller
	round   uint64 // of retire
	armed   bool   // there will be another
}

// groups are those that have a poller.
var groups struct {
	mu sync.Mutex
	of map[*pool.Pool]*group
}

const (
	few      = 16                    // so many pollers before one has to watch a second channel: a plain select is three times as fast
	most     = 64                    // channels a poller, whose cost of a wait grows with them
	idleTime = 10 * time.Millisecond // a poller without anything to watch is kept so long, or twice
)

// watchFor waits until op is done. An error means that it was not, and won't be.
func watchFor(ctx context.Context, co *pool.Coroutine, w *watch, op native, why pool.Why) error {
	w.op = op
	w.x.Prepare()
	g := assign(co.Pool(), w)
	err := w.x.Park(ctx, why)
	if err == nil {
		return nil
	}
	g.mu.Lock()
	if !w.finished {
		w.answer = pool.NewWaiter()
		w.poller.dropped = append(w.poller.dropped, w)
		g.mu.Unlock()
		w.poller.wakeUp()
		w.answer.WaitAlways(why)
		g.mu.Lock()
	}
	done := w.done
	g.mu.Unlock()
	if done {
		return nil // a forced shutdown ends the task at its next wait
	}
	w.x.ExitIfDue()
	return err
}

// assign gives w to a poller.
func assign(p *pool.Pool, w *watch) *group {
	groups.mu.Lock()
	g := groups.of[p]
	if g == nil {
		g = &group{pool: p}
		if groups.of == nil {
			groups.of = make(map[*pool.Pool]*group)
		}
		groups.of[p] = g
	}
	g.mu.Lock()
	groups.mu.Unlock()
	least := (*poller)(nil)
	for _, p := range g.pollers {
		if least == nil || p.load < least.load {
			least = p
		}
		if p.load == 0 {
			break
		}
	}
	if least == nil || least.load > 0 && len(g.pollers) < few || least.load == most {
		least = &poller{g: g, kick: make(chan struct{}, 1)}
		g.pollers = append(g.pollers, least)
		go least.run()
	}
	least.load++
	least.added = append(least.added, w.op)
	w.poller = least
	g.mu.Unlock()
	least.wakeUp()
	return g
}

func (p *poller) wakeUp() {
	select {
	case p.kick <- struct{}{}:
	default: // it has a token, and has not looked yet
	}
}

func (p *poller) run() {
	for p.admit() {
		switch {
		case len(p.list) > 1:
			if !p.sweep() {
				p.selectAny()
			}
		case len(p.list) == 1:
			if p.list[0].block(p.kick) {
				p.finish(0)
			}
		default:
			<-p.kick
		}
	}
}

// admit takes what was added, and lets go of what was dropped. It returns false if the poller has
// been retired.
func (p *poller) admit() bool {
	p.g.mu.Lock()
	if p.retired {
		p.g.mu.Unlock()
		return false
	}
	p.list = append(p.list, p.added...)
	clear(p.added)
	p.added = p.added[:0]
	dropped := p.dropped
	p.dropped = nil
	p.g.mu.Unlock()
	for _, w := range dropped {
		for i, op := range p.list {
			if op.shared() == w {
				p.remove(i)
				p.end(w, false)
				break
			}
		}
	}
	return true
}

func (p *poller) remove(i int) {
	last := len(p.list) - 1
	p.list[i] = p.list[last]
	p.list[last] = nil
	p.list = p.list[:last]
}

// finish says that an operation was done.
func (p *poller) finish(i int) {
	w := p.list[i].shared()
	p.remove(i)
	p.end(w, true)
}

func (p *poller) end(w *watch, done bool) {
	p.g.mu.Lock()
	w.finished, w.done = true, done
	p.load--
	if p.load == 0 {
		p.rest = p.g.round
		if !p.g.armed {
			p.g.armed = true
			time.AfterFunc(idleTime, p.g.retire)
		}
	}
	answer := w.answer
	p.g.mu.Unlock()
	if answer != nil {
		answer.Wake()
	} else if w.x.Claim() {
		w.x.Deliver()
	}
}

// sweep does what needs no wait. Under load that is most, and a tenth of the price.
func (p *poller) sweep() (some bool) {
	for i := len(p.list) - 1; i >= 0; i-- {
		if p.list[i].try() {
			p.finish(i)
			some = true
		}
	}
	return some
}

// selectAny waits until one operation is done, or for kick.
func (p *poller) selectAny() {
	p.cases = append(p.cases[:0], reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(p.kick)})
	for _, op := range p.list {
		p.cases = append(p.cases, op.selectCase())
	}
	i, v, ok := selectOf(p.cases)
	clear(p.cases)
	if i > 0 {
		p.list[i-1].settle(v, ok)
		p.finish(i - 1)
	}
}

// selectOf is reflect.Select, which panics if a channel to send on is closed, and does not say
// which. It returns 0 then: the next sweep finds it.
func selectOf(cases []reflect.SelectCase) (i int, v reflect.Value, ok bool) {
	defer func() {
		if recover() != nil {
			i = 0
		}
	}()
	return reflect.Select(cases)
}

// retire ends the pollers that have had nothing to watch since the last round. There is one timer for all of
// them: one for each rest would cost more than a wait.
func (g *group) retire() {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pollers = slices.DeleteFunc(g.pollers, func(p *poller) bool {
		p.retired = p.load == 0 && p.rest < g.round
		if p.retired {
			p.wakeUp()
		}
		return p.retired
	})
	g.round++
	if len(g.pollers) == 0 {
		delete(groups.of, g.pool)
		return
	}
	g.armed = slices.ContainsFunc(g.pollers, func(p *poller) bool { return p.load == 0 })
	if g.armed {
		time.AfterFunc(idleTime, g.retire)
	}
}
