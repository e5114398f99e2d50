package lockstep

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/lockstep-go/lockstep/pool"
)

// bell is what a Timer and a Ticker share: an alarm that hands a time to one who waits, or keeps it
// for the next one to come.
//
// # Protocol
//
// Everything is guarded by mu; the alarm's own protocol lies below it (lock order: bell, worker).
//
// armed is set with the alarm and cleared by the ring that belongs to it. A ring is called without mu after
// its alarm was taken out, so a stop or a new setting may come in between. A ring that finds the bell not armed, or its alarm
// pending, is such a late one and does nothing: if the bell was set again, another ring will come for
// that. If it was set again and that alarm has been taken out too, two rings are on their way and
// the time of the later one has passed, so it does not matter which of them delivers.
//
// No value is lost and none is stale: there is a value or there are waiters, never both; ring hands the time to the
// first waiter that it can claim, and stop takes back a value that nobody has received.
type bell struct {
	mu     sync.Mutex
	alarm  pool.Alarm
	armed  bool
	full   bool
	value  time.Time
	period time.Duration // of a Ticker, 0 otherwise
	next   time.Time     // when a Ticker's next tick is due
	queue  []*ringWait
}

type ringWait struct {
	pool.Waiter
	at time.Time
}

func (b *bell) init() { b.alarm.Init(b.ring, false) }

// set arms the bell, which is not armed. mu is held, or the bell is not yet shared.
func (b *bell) set(d, period time.Duration) {
	b.armed, b.period = true, period
	if period > 0 {
		b.next = pool.Now().Add(d)
	}
	b.alarm.Set(d)
}

// stop disarms it, drops a value, and reports whether there was either. mu is held.
func (b *bell) stop() bool {
	was := b.armed || b.full
	if b.armed {
		b.alarm.Stop()
	}
	b.armed, b.full = false, false
	return was
}

// point is where stepped tasks may change.
func (b *bell) point() {
	if pool.Stepping() {
		pool.Point(pool.OpTimer, b)
	}
}

// ring is called by the alarm.
func (b *bell) ring() {
	now := b.alarm.Now()
	b.mu.Lock()
	if !b.armed || b.alarm.Pending() {
		b.mu.Unlock()
		return
	}
	b.armed = false
	if b.period > 0 {
		// The next tick's time is counted from the first one's. Those that have passed already are dropped.
		b.next = b.next.Add(b.period * (1 + max(now.Sub(b.next), 0)/b.period))
		b.armed = true
		b.alarm.SetAgain(b.next)
	}
	for len(b.queue) > 0 {
		x := b.queue[0]
		b.queue[0] = nil
		b.queue = b.queue[1:]
		if x.Claim() {
			x.at = now
			b.mu.Unlock()
			x.Deliver()
			return
		}
	}
	if !b.full { // a Ticker keeps the first tick that nobody has received
		b.full, b.value = true, now
	}
	b.mu.Unlock()
}

// wait takes the value, or waits for the next one.
func (b *bell) wait(ctx context.Context) (time.Time, error) {
	b.point()
	b.mu.Lock()
	if b.full {
		b.full = false
		at := b.value
		b.mu.Unlock()
		return at, nil
	}
	x := &ringWait{}
	x.Prepare()
	b.queue = append(b.queue, x)
	b.mu.Unlock()
	err := x.Park(ctx, pool.WhySleep)
	if err != nil {
		b.forget(x)
	}
	x.ExitIfDue()
	if err != nil {
		return time.Time{}, err
	}
	return x.at, nil
}

// forget takes a wait that has ended otherwise off the queue, unless a ring has.
func (b *bell) forget(x *ringWait) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = slices.DeleteFunc(b.queue, func(y *ringWait) bool { return x == y })
}
