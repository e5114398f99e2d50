package pool

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"time"
)

// The monitor is one goroutine of a pool. While workers run it looks at them every
// monitorFast to monitorSlow; some time after the last one has gone to
// sleep it sleeps too, until a worker's wake finds it asleep.
const (
	monitorFast = time.Millisecond
	monitorSlow = 10 * time.Millisecond
	monitorMost = time.Second // when nothing at all moves: every worker is stuck

	// After the last worker has gone to sleep there are idleTicks rounds of monitorIdle: a pool
	// that is used now and then does not pay for waking the monitor each time. Helpers stay
	// for helpersStay after that.
	monitorIdle = 2 * time.Millisecond
	idleTicks   = 5
	helpersStay = 100 * time.Millisecond

	// quickRounds is for how many rounds the monitor looks every monitorFast when the pool begins to work.
	quickRounds = 16

	wakeTokens     = 8 // a millisecond, when waking pays
	wakeTokensPoor = 1 // when it does not

	// crowdedLate is more than how late a round comes if the machine has a processor to spare.
	crowdedLate = time.Millisecond

	// late is how much later than asked the monitor must be called, lateTimes in
	// a row while every worker is busy, to say that the program lacks a P.
	late      = 5 * time.Millisecond
	lateTimes = 5
)

type monitor struct {
	p        *Pool
	timer    *time.Timer
	period   time.Duration
	runs     uint64
	idle     int
	lateness int
	told     bool
	procs    int
	rounds   int
	epoch    uint64 // the pool's when it last looked

	quick    int  // rounds of monitorFast that are left
	crowded  bool // goroutines wait for a P
	late     bool // this round came late: perhaps threads wait for a processor
	sample   [1]metrics.Sample
	soon     time.Duration // until a worker may turn out to be held
	unhelped bool          // one is held and has no helper

	allowance  float64
	allowedAt  int64
	suppressed int
}

// refreshRounds is how many rounds pass between two looks at the cgroup, about
// half a minute while workers are busy.
const refreshRounds = 3000

func (p *Pool) monitor() {
	defer p.helpers.Done()
	m := monitor{p: p, period: monitorFast, timer: time.NewTimer(monitorFast), procs: p.Workers(), allowance: reportsAtOnce}
	m.sample[0].Name = "/sched/goroutines/runnable:goroutines"
	defer m.timer.Stop()
	for {
		asked := time.Now()
		switch m.wait() {
		case waitEnded:
			return
		case waitRoused:
			m.rested()
		case waitOver:
			m.look(time.Since(asked) - m.period)
			if m.idle > idleTicks && !m.sleep() {
				return
			}
		}
		m.timer.Reset(m.period)
	}
}

// How a wait of the monitor ends.
type waited uint8

const (
	waitOver   waited = iota // the period is over
	waitRoused               // a worker has woken up meanwhile
	waitEnded                // the pool ends
)

// wait waits for the next round. Between rounds of more than monitorSlow, which there are while every worker that is awake is held and has its
// helper, a worker that wakes up rouses the monitor: what that one begins may block as well.
//
// As in sleep, either sees the other: the epoch, which a waking worker changes before it looks at monitorAsleep, is
// compared after that is stored.
func (m *monitor) wait() waited {
	p := m.p
	long := m.period > monitorSlow
	if long {
		p.monitorAsleep.Store(true)
		if p.epoch.Load() != m.epoch && p.monitorAsleep.CompareAndSwap(true, false) {
			return waitRoused
		}
	}
	select {
	case <-m.timer.C:
		if long && !p.monitorAsleep.CompareAndSwap(true, false) {
			<-p.monitorWake
		}
		return waitOver
	case <-p.monitorWake:
		return waitRoused
	case <-p.stop:
		return waitEnded
	}
}

// rested begins with quick rounds again.
func (m *monitor) rested() { m.idle, m.period, m.quick = 0, monitorFast, quickRounds }

// look is one round. lateness is how much later than asked it comes.
func (m *monitor) look(lateness time.Duration) {
	p := m.p
	if m.rounds++; p.cfg.SpareProcs > 0 && m.rounds%refreshRounds == 0 {
		spare.refresh()
	}
	if p.cfg.Workers == 0 {
		m.follow()
	}
	asleep, surplus := 0, false
	var runs uint64
	now := p.now()
	m.epoch = p.epoch.Load()
	m.soon, m.unhelped = monitorMost, false
	metrics.Read(m.sample[:])
	m.crowded = m.sample[0].Value.Uint64() > 0
	m.late = lateness > crowdedLate

	every := *p.everyone.Load()
	for _, w := range *p.heldWorkers.Load() {
		if !slices.Contains(every, w) { // it has ended and was not seen to move; its helper would stay for ever
			p.letGo(w)
		}
	}
	for _, w := range every {
		n := w.entries()
		runs += n
		if w.state.Load() != stateParked && w.backlog.Load()+w.inbox.n.Load() > 0 {
			surplus = true
			w.slow.Store(n == w.seen)
		}
		w.seen = n
		m.watch(w, now)
		if !w.isHelper && w.state.Load() == stateParked {
			asleep++
		}
	}
	p.retireHelpers(false)
	dry := p.tokens.Load() <= 0
	p.refill()
	if asleep > 0 && surplus {
		p.wakeOne()
	}
	m.noteLateness(lateness, asleep == 0)
	m.period = m.next(runs == m.runs, asleep > 0 && (surplus || dry))
	m.runs = runs
}

// next returns the time until the next round. stuck says that nothing has moved since the last one, wanted that
// sleeping workers could do with more wake tokens.
func (m *monitor) next(stuck, wanted bool) time.Duration {
	if m.p.awake.Load() == 0 {
		m.idle++
		m.quick = quickRounds
		return monitorIdle
	}
	m.idle = 0
	m.quick = max(m.quick-1, 0)
	switch {
	case m.soon < monitorMost:
		return min(m.soon, monitorSlow)
	case m.unhelped:
		return monitorSlow
	case stuck:
		return min(2*m.period, monitorMost)
	case wanted || m.quick > 0:
		return monitorFast
	}
	return min(2*m.period, monitorSlow)
}

// refill gives the pool its wake tokens for the next period.
func (p *Pool) refill() {
	if p.wakesPaid.Swap(false) || p.tokens.Load() == p.tokensGiven {
		p.tokensGiven = wakeTokens
	} else {
		p.tokensGiven = wakeTokensPoor
	}
	p.tokens.Store(p.tokensGiven)
}

// noteLateness says once what to do about a program whose Ps are all held by busy
// workers, so that everything else in it waits for the preemption of Go's scheduler.
func (m *monitor) noteLateness(lateness time.Duration, busy bool) {
	if !busy || lateness < late {
		m.lateness = 0
		return
	}
	m.lateness++
	if m.lateness < lateTimes || m.told {
		return
	}
	m.told = true
	m.p.cfg.Logger.Warn("lockstep: all workers are busy and hold every P, so timers, the network and all other "+
		"goroutines of the program run late; use WithSpareProcs(1), or fewer workers than GOMAXPROCS",
		"late", lateness, "workers", len(*m.p.active.Load()), "gomaxprocs", runtime.GOMAXPROCS(0))
}

// sleep waits until a worker wakes up; false means that the pool ends.
//
// It stores asleep and then looks once more whether a worker runs; a worker that wakes up stores
// its state and then looks at asleep. One of the two sees the other.
func (m *monitor) sleep() bool {
	p := m.p
	p.monitorAsleep.Store(true)
	if p.awake.Load() == 0 {
		m.timer.Reset(helpersStay)
		for asleep := true; asleep; {
			select {
			case <-m.timer.C:
				p.retireHelpers(true)
			case <-p.monitorWake:
				asleep = false
			case <-p.stop:
				return false
			}
		}
		m.timer.Stop()
	} else if !p.monitorAsleep.CompareAndSwap(true, false) {
		<-p.monitorWake
	}
	m.rested()
	return true
}

// rouse wakes the monitor if it sleeps.
func (p *Pool) rouse() {
	if p.monitorAsleep.Load() && p.monitorAsleep.CompareAndSwap(true, false) {
		p.monitorWake <- struct{}{}
	}
}
