package workload

import (
	"fmt"
	"math"
	"time"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// SharesCase is two queues of busy tasks in lockstep, to be compared over real time.
type SharesCase struct {
	// Shares and Tasks are those of the two queues; tasks are per worker.
	Shares [2]int
	Tasks  [2]int
	// Workers is the number of workers, zero for as many as the report uses.
	Workers int
}

// SharesResult is what the second queue of a case got.
type SharesResult struct {
	Case    SharesCase
	Workers int
	// Due and Got are the second queue's percentages of the work done, pool-wide, counted by the tasks themselves.
	Due, Got float64
	// Worst is the percentage on the worker that strays furthest from the due one, by the pool's statistics; Judged
	// is the number of workers that ran both queues and so could be judged.
	Worst  float64
	Judged int
	// Tolerance is the greatest distance in percentage points that counts as met.
	Tolerance float64
}

// sharesQuantum is the default quantum: the two quanta of the tolerance are of that length.
const sharesQuantum = time.Millisecond

// SharesCases are the ratios of lockstep's own tests, on one worker and on all of them, and one task against a
// thousand at equal shares, where the number of tasks must not count.
func SharesCases() []SharesCase {
	var cases []SharesCase
	for _, workers := range []int{1, 0} {
		for _, high := range []int{1, 2, 10, 1000} {
			cases = append(cases, SharesCase{Shares: [2]int{1, high}, Tasks: [2]int{16, 16}, Workers: workers})
		}
	}
	return append(cases, SharesCase{Shares: [2]int{1, 1}, Tasks: [2]int{1, 1000}, Workers: 1})
}

// Met says whether the queue got its due: on every worker that ran both queues, since that is what lockstep promises,
// and by the tasks' own count where there is only one worker.
func (r SharesResult) Met() bool {
	if r.Workers == 1 && math.Abs(r.Got-r.Due) > r.Tolerance {
		return false
	}
	return r.Judged == 0 && r.Workers == 1 || r.Judged > 0 && math.Abs(r.Worst-r.Due) <= r.Tolerance
}

// Run has the case's tasks compete for the given time.
func (c SharesCase) Run(workers int, d time.Duration) (SharesResult, error) {
	if c.Workers > 0 {
		workers = c.Workers
	}
	pool, err := lockstep.New(
		lockstep.WithWorkers(workers),
		lockstep.WithTaskQueue(sharesNames[0], lockstep.WithShares(c.Shares[0])),
		lockstep.WithTaskQueue(sharesNames[1], lockstep.WithShares(c.Shares[1])),
	)
	if err != nil {
		return SharesResult{}, fmt.Errorf("shares %v: %w", c.Shares, err)
	}
	var begin, end atomic.Bool
	var work [2]*atomic.Int64
	for i, name := range sharesNames {
		work[i] = new(atomic.Int64)
		queue := pool.TaskQueue(name)
		for range c.Tasks[i] * workers {
			queue.Go(func() { compete(&begin, &end, work[i]) })
		}
	}
	before := pool.Stats()
	begin.Store(true)
	time.Sleep(d)
	end.Store(true)
	after := pool.Stats()
	if err := pool.Close(); err != nil {
		return SharesResult{}, fmt.Errorf("shares %v: %w", c.Shares, err)
	}
	r := SharesResult{
		Case: c, Workers: workers,
		Due:       percent(float64(c.Shares[0]), float64(c.Shares[1])),
		Got:       percent(float64(work[0].Load()), float64(work[1].Load())),
		Tolerance: max(2, 100*float64(2*sharesQuantum)/float64(d)),
	}
	r.judge(before, after)
	return r, nil
}

var sharesNames = [2]string{"first", "second"}

// compete waits for the common start by giving way, then works until the end. It counts in its own variable and adds
// that up last, so that counting is no traffic between processors.
func compete(begin, end *atomic.Bool, work *atomic.Int64) {
	for !begin.Load() {
		lockstep.Yield()
	}
	units, x := 0, uint64(1)
	for !end.Load() {
		for range 1_000 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		units++
		lockstep.YieldIfNeeded()
	}
	if x == 0 {
		units = 0 // never: the generator does not reach zero, but the compiler has to keep it
	}
	work.Add(int64(units))
}

// judge finds the worker that strays furthest. A worker that ran only one of the queues says nothing about shares,
// which hold among the queues that have something to run.
func (r *SharesResult) judge(before, after lockstep.Stats) {
	then := make(map[int][2]time.Duration)
	for _, w := range before.Workers {
		then[w.ID] = runTimes(w)
	}
	r.Worst = r.Due
	for _, w := range after.Workers {
		run, earlier := runTimes(w), then[w.ID]
		first, second := run[0]-earlier[0], run[1]-earlier[1]
		if first <= 0 || second <= 0 {
			continue
		}
		r.Judged++
		if got := percent(float64(first), float64(second)); math.Abs(got-r.Due) > math.Abs(r.Worst-r.Due) {
			r.Worst = got
		}
	}
}

func runTimes(w lockstep.WorkerStats) (run [2]time.Duration) {
	for _, q := range w.Queues {
		for i, name := range sharesNames {
			if q.Name == name {
				run[i] = q.RunTime
			}
		}
	}
	return run
}

// percent is b's part of a and b.
func percent(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 100 * b / (a + b)
}
