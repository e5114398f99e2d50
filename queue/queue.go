package queue

// Limits and defaults of a task queue's shares.
const (
	MinShares     = 1
	MaxShares     = 1 << 20
	DefaultShares = 100
)

// Floor is the least time, in nanoseconds, that a visit is charged when it held
// a voluntary yield. It is far above the cost of a yield (0.1 µs), so that a
// loop of yields pays for its turns, and far below the quantum, so that tasks
// which yield after real work of more than this are charged what they used.
const Floor = 20_000

// visitCost is the least time, in nanoseconds, that any visit is charged: about what
// it costs by itself. Where the clock is coarse, or stands (testing/synctest), a circle
// of tasks that wake each other would otherwise be free, and its queue the poorest for ever.
const visitCost = 100

// maxCharge bounds the time of one visit, 13 days, so that the product below
// cannot overflow.
const maxCharge = 1 << 50

// vrScale is the fixed-point factor of virtual runtime: vr is in 1/1024 ns per
// share. What the division leaves over is kept in rem, so no time is lost at
// any number of shares.
const vrScale = 1 << 10

// Queue is the part of a task queue that lives on one worker.
type Queue struct {
	id      int
	shares  uint64
	latency int64

	vr, rem uint64

	active FIFO // ready to run
	aside  FIFO // set aside until the next tick

	heapAt  int  // place in Sched.heap, -1 when not there
	asideAt int  // place in Sched.asides, -1 when nothing is set aside
	yielded bool // the visit held a voluntary yield

	counts Counts
}

// Counts are the running totals of a queue on one worker. Times are in
// nanoseconds. They are the owner's; the pool publishes copies.
type Counts struct {
	RunTime  uint64 // charged time, the floor not included
	Visits   uint64 // turns
	SetAside uint64 // tasks set aside by the reentrancy detector
}

// ID returns the queue's number, the order in which it was added.
func (q *Queue) ID() int { return q.id }

// Shares returns the queue's weight.
func (q *Queue) Shares() int { return int(q.shares) }

// Latency returns the latency goal in nanoseconds, 0 for none.
func (q *Queue) Latency() int64 { return q.latency }

// VirtualRuntime returns the time the queue has been charged, divided by
// its shares, in 1/1024 ns.
func (q *Queue) VirtualRuntime() uint64 { return q.vr }

// Len returns how many tasks are ready in the queue, and how many are set aside.
func (q *Queue) Len() (active, aside int) { return q.active.n, q.aside.n }

// Counts returns the running totals.
func (q *Queue) Counts() Counts { return q.counts }

func (q *Queue) charge(elapsed int64) {
	d := uint64(min(max(elapsed, 0), maxCharge))
	q.counts.RunTime += d
	q.counts.Visits++
	d = max(d, visitCost)
	if q.yielded {
		q.yielded = false
		d = max(d, Floor)
	}
	q.spend(d)
}

func (q *Queue) spend(d uint64) {
	num := d*vrScale + q.rem
	q.vr += num / q.shares
	q.rem = num % q.shares
}

// before orders by virtual runtime, ties by queue number, so that the same
// events always give the same sequence.
func (q *Queue) before(r *Queue) bool {
	return q.vr < r.vr || q.vr == r.vr && q.id < r.id
}
