package queue_test

import (
	"math"
	"math/big"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/queue"
)

// machine does the same to a Sched and to the model, in an order that somebody else
// chooses: rapid, or the fuzzer.
type machine struct {
	t    require.TestingT
	draw func(n int, what string) int // a number below n

	s      *queue.Sched
	m      *model
	cache  queue.Cache // of the lists that PushAll takes
	made   int
	parked []parked // tasks that ran and can be made ready again
}

type parked struct {
	task  queue.Task
	queue int
	ran   uint64
}

func newMachine(t require.TestingT, draw func(int, string) int) *machine {
	k := &machine{t: t, draw: draw}
	quantum := []int64{int64(quantum), 1000, 1}[draw(3, "quantum")]
	virtual := []uint64{0, 1, queue.RebaseAbove - 1e9, queue.RebaseAbove, 1 << 63}[draw(5, "virtual")]
	k.s, k.m = queue.New(quantum), newModel(quantum, virtual)
	for range 1 + draw(5, "queues") {
		shares, latency := k.shares(), []int64{0, 0, quantum/5 + 1}[draw(3, "latency")]
		k.s.Add(shares, latency)
		k.m.add(int64(shares), latency)
	}
	k.s.SetVirtual(virtual)
	return k
}

func (k *machine) shares() int {
	return []int{100, 1, 2, 3, 7, 1000, 1023, queue.MaxShares}[k.draw(8, "shares")]
}

// queue draws a queue.
func (k *machine) queue() (*queue.Queue, *modelQueue) {
	i := k.draw(len(k.m.queues), "queue")
	return k.s.Queue(i), k.m.queues[i]
}

// step does one thing that package pool might do at this moment.
func (k *machine) step() {
	switch k.draw(16, "op") {
	case 0, 1:
		k.push(1)
	case 2:
		k.push(k.draw(40, "n"))
	case 3, 4, 5:
		k.next()
	case 6, 7:
		k.ready()
	case 8:
		k.pass()
	case 9, 10, 11:
		k.pass()
		k.turn()
	case 12:
		k.s.Yielded()
		if k.m.visited != nil {
			k.m.visited.yielded = true
		}
	case 13:
		q, m := k.queue()
		n := k.shares()
		k.s.SetShares(q, n)
		k.m.setShares(m, int64(n))
	case 14:
		k.steal()
	case 15:
		k.apart()
	}
}

func (k *machine) push(n int) {
	q, m := k.queue()
	if len(m.active) > 300 {
		return // a thief does not look further than 1024, and the model does
	}
	var f queue.FIFO
	for range n {
		k.made++
		x := numbered(k.made, sites[k.draw(len(sites), "site")])
		if k.m.push(m, x); n == 1 {
			k.s.Push(q, x)
		} else {
			f.Push(&k.cache, x)
		}
	}
	k.s.PushAll(q, &f)
	k.s.Recycle(&k.cache)
}

func (k *machine) next() {
	want, wantOK := k.m.next()
	got, ok := k.s.Next()
	require.Equal(k.t, wantOK, ok, "Next")
	if ok {
		requireSame(k.t, want, got)
		k.parked = append(k.parked, parked{want, k.m.visited.id, k.m.tick})
	}
}

// ready makes a task ready that has run: from inside, or from outside.
func (k *machine) ready() {
	if len(k.parked) == 0 {
		return
	}
	i := k.draw(len(k.parked), "task")
	x := k.parked[i]
	k.parked = append(k.parked[:i], k.parked[i+1:]...)
	x.task.Site = queue.Started
	q, m := k.s.Queue(x.queue), k.m.queues[x.queue]
	if k.m.visited == nil || k.draw(4, "outside") == 0 {
		k.s.Push(q, x.task)
		k.m.push(m, x.task)
		return
	}
	preempted := k.draw(4, "preempted") == 0
	require.Equal(k.t, k.m.ready(m, x.task, x.ran, preempted), k.s.Ready(q, x.task, x.ran, preempted), "set aside")
}

// pass lets time pass. A jump that is longer than any charge comes now and then.
func (k *machine) pass() {
	d := int64(k.draw(1000, "ns"))
	switch k.draw(6, "how long") {
	case 0:
		d *= 100
	case 1:
		d = k.m.quantum + d%3 - 1
	case 2:
		d = k.m.quantum * (d % 5)
	case 3:
		if d > 900 && k.m.now < math.MaxInt64/4 {
			d = 2 * queue.MaxCharge
		}
	}
	k.m.now += d
}

// turn ends the visit, if it is over or anyway, and begins the next one.
func (k *machine) turn() {
	if k.m.continues() && k.draw(2, "go on") == 0 {
		return
	}
	if k.m.visited != nil && k.m.allIdle() && k.draw(2, "renew") == 0 {
		k.s.Renew(k.m.now)
		k.m.renew()
		return
	}
	k.s.EndVisit(k.m.now)
	k.m.endVisit()
	k.compare()
	require.Equal(k.t, k.m.pick(), k.s.Pick(k.m.now), "Pick")
}

// steal takes tasks that have not started, or others too.
func (k *machine) steal() {
	limits := make([]int, len(k.m.queues))
	for i := range limits {
		limits[i] = []int{1 << 20, 1, 2}[k.draw(3, "limit")]
	}
	var movable func(queue.Task) bool
	if k.draw(2, "movable") == 1 {
		movable = func(x queue.Task) bool { return x.Age%4 > 0 }
	}
	got := make([]queue.FIFO, len(k.m.queues))
	var c queue.Cache
	n := k.s.TakeMovable(&c, got, limits, movable)
	for i, want := range k.m.steal(limits, movable) {
		for _, x := range want {
			y, ok := got[i].Pop(&c)
			require.True(k.t, ok)
			requireSame(k.t, x, y)
			n--
		}
		require.Zero(k.t, got[i].Len())
	}
	require.Zero(k.t, n, "stolen")
}

// apart charges a queue for what it used outside of its visits.
func (k *machine) apart() {
	q, m := k.queue()
	d := int64(k.draw(1_000_000, "apart"))
	k.s.Charge(q, d)
	k.m.outside(m, d)
}

// view is what can be seen of a scheduler, and queueView of a queue.
type view struct {
	tick                           uint64
	ready, visited                 int
	idle, preempt, over, continues bool
	visitFor                       int64
}

type queueView struct {
	active, aside int
	counts        queue.Counts
	ahead         uint64 // of the worker's virtual time; who is behind is idle and rejoins
}

// compare demands that everything that can be seen is the same, and checks the invariants.
func (k *machine) compare() {
	k.s.Check()
	active, _ := k.m.counts()
	want := view{k.m.tick, active, -1, k.m.allIdle(), k.m.preempt, k.m.over(), k.m.continues(), k.m.visitFor}
	got := view{k.s.Tick(), k.s.Len(), -1, k.s.Idle(), k.s.Preempt(), k.s.Over(k.m.now), k.s.Continues(k.m.now), k.s.VisitFor()}
	if k.m.visited != nil {
		want.visited = k.m.visited.id
	}
	if q := k.s.Current(); q != nil {
		got.visited = q.ID()
	}
	if want != got { // require is slow, and this comes after each step
		require.Equal(k.t, want, got)
	}
	for i, m := range k.m.queues {
		ahead := new(big.Int).Sub(m.virtual, k.m.virtual)
		if ahead.Sign() < 0 {
			ahead.SetInt64(0)
		}
		q := k.s.Queue(i)
		want := queueView{len(m.active), len(m.aside), m.counts, ahead.Uint64()}
		got := queueView{counts: q.Counts(), ahead: max(q.VirtualRuntime(), k.s.VirtualNow()) - k.s.VirtualNow()}
		got.active, got.aside = q.Len()
		if want != got {
			require.Equal(k.t, want, got, "queue %d", i)
		}
	}
}
