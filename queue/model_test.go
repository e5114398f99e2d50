package queue_test

import (
	"math/big"

	"github.com/lockstep-go/lockstep/queue"
)

// model is the rule as the package comment tells it, and nothing else: slices that are
// searched from one end to the other, and virtual time in numbers without
// end, so that it needs neither a heap nor a wrap. It is what Sched is
// compared with; where the two differ, one of them reads the rule wrongly.
type model struct {
	quantum, now                  int64
	queues                        []*modelQueue
	visited                       *modelQueue
	visitFrom, visitFor, tickFrom int64
	tick                          uint64
	virtual                       *big.Int // of the queue visited last
	preempt                       bool
}

type modelQueue struct {
	id              int
	shares, latency int64
	virtual         *big.Int // in 1/1024 ns a share, rounded down
	left            int64    // what the rounding has left, in 1/1024 ns
	active, aside   []queue.Task
	yielded         bool
	counts          queue.Counts
}

func newModel(quantum int64, virtual uint64) *model {
	return &model{quantum: quantum, tick: 1, virtual: new(big.Int).SetUint64(virtual)}
}

func (m *model) add(shares, latency int64) {
	m.queues = append(m.queues, &modelQueue{
		id: len(m.queues), shares: shares, latency: latency, virtual: new(big.Int).Set(m.virtual),
	})
}

// idle: nothing active, nothing set aside and not running.
func (m *model) idle(q *modelQueue) bool {
	return len(q.active) == 0 && len(q.aside) == 0 && q != m.visited
}

// rejoin is the maximum rule.
func (m *model) rejoin(q *modelQueue) {
	if m.idle(q) && q.virtual.Cmp(m.virtual) < 0 {
		q.virtual.Set(m.virtual)
	}
}

func (m *model) push(q *modelQueue, tasks ...queue.Task) {
	if len(tasks) == 0 {
		return
	}
	m.rejoin(q)
	if len(q.active) == 0 && q.latency > 0 && m.visited != nil && m.visited != q {
		m.preempt = true
	}
	q.active = append(q.active, tasks...)
}

func (m *model) ready(q *modelQueue, t queue.Task, ran uint64, preempted bool) bool {
	if ran != m.tick || preempted {
		m.push(q, t)
		return false
	}
	m.rejoin(q)
	q.aside = append(q.aside, t)
	q.counts.SetAside++
	return true
}

func (m *model) next() (t queue.Task, ok bool) {
	if m.visited == nil || len(m.visited.active) == 0 {
		return t, false
	}
	t, m.visited.active = m.visited.active[0], m.visited.active[1:]
	return t, true
}

func (m *model) over() bool {
	return m.preempt || m.visited != nil && m.now-m.visitFrom >= m.visitFor
}

func (m *model) continues() bool {
	return m.visited != nil && len(m.visited.active) > 0 && !m.over()
}

func (m *model) endVisit() {
	q := m.visited
	if q == nil {
		return
	}
	d := min(max(m.now-m.visitFrom, 0), queue.MaxCharge)
	q.counts.RunTime += uint64(d)
	q.counts.Visits++
	d = max(d, queue.VisitCost)
	if q.yielded {
		d = max(d, queue.Floor)
	}
	q.yielded = false
	q.charge(d)
	m.visited, m.preempt = nil, false
	m.visitFrom = m.now
}

func (q *modelQueue) charge(d int64) {
	time := new(big.Int).Mul(big.NewInt(d), big.NewInt(queue.Scale))
	time.Add(time, big.NewInt(q.left))
	left := new(big.Int)
	time.DivMod(time, big.NewInt(q.shares), left)
	q.virtual.Add(q.virtual, time)
	q.left = left.Int64()
}

func (m *model) setShares(q *modelQueue, n int64) {
	if ahead := new(big.Int).Sub(q.virtual, m.virtual); ahead.Sign() > 0 && n != q.shares {
		ahead.Mul(ahead, big.NewInt(q.shares)).Div(ahead, big.NewInt(n))
		if most := big.NewInt(queue.MaxCharge * queue.Scale); ahead.Cmp(most) > 0 {
			ahead = most
		}
		q.virtual.Add(m.virtual, ahead)
	}
	q.shares = n
	q.left %= n // less than one unit either way
}

// outside is Charge.
func (m *model) outside(q *modelQueue, d int64) {
	m.rejoin(q)
	d = min(max(d, 0), queue.MaxCharge)
	q.counts.RunTime += uint64(d)
	q.charge(d)
}

// least returns the queue with the least virtual runtime among those for which
// ok holds, the first of equals.
func (m *model) least(ok func(*modelQueue) bool) (least *modelQueue) {
	for _, q := range m.queues {
		if ok(q) && (least == nil || q.virtual.Cmp(least.virtual) < 0) {
			least = q
		}
	}
	return least
}

func (m *model) pick() bool {
	hasActive := func(q *modelQueue) bool { return len(q.active) > 0 }
	hasAny := func(q *modelQueue) bool { return len(q.active)+len(q.aside) > 0 }
	noneActive := func(q *modelQueue) bool { return q == nil || len(q.active) == 0 }
	if noneActive(m.least(hasAny)) || m.now-m.tickFrom >= m.quantum {
		m.tick++
		m.tickFrom = m.now
		for _, q := range m.queues {
			q.active = append(q.active, q.aside...)
			q.aside = nil
		}
	}
	q := m.least(hasActive)
	if q == nil {
		return false
	}
	m.begin(q)
	return true
}

func (m *model) begin(q *modelQueue) {
	m.visited, m.visitFrom, m.visitFor = q, m.now, m.quantum
	if q.virtual.Cmp(m.virtual) > 0 {
		m.virtual.Set(q.virtual)
	}
	for _, u := range m.queues {
		if u != q && u.latency > 0 && len(u.active) > 0 {
			m.visitFor = min(m.visitFor, u.latency)
		}
	}
}

func (m *model) renew() {
	q := m.visited
	m.endVisit()
	m.begin(q)
}

// steal takes the oldest tasks that may move, at most half of each queue's tasks, rounded up;
// before them also set-aside ones, if started tasks may move.
func (m *model) steal(limits []int, movable func(queue.Task) bool) (taken [][]queue.Task) {
	may := func(x queue.Task) bool {
		return x.Stealable() || x.Site == queue.Started && movable != nil && movable(x)
	}
	for i, q := range m.queues {
		var first, then []queue.Task
		if movable != nil {
			q.aside, first = split(q.aside, limits[i], may)
		}
		q.active, then = split(q.active, min(limits[i], (len(q.active)+1)/2), may)
		taken = append(taken, append(first, then...))
	}
	return taken
}

// counts returns how many tasks are active and how many are set aside.
func (m *model) counts() (active, aside int) {
	for _, q := range m.queues {
		active += len(q.active)
		aside += len(q.aside)
	}
	return active, aside
}

func (m *model) allIdle() bool {
	active, aside := m.counts()
	return active+aside == 0
}
